/// The authorities that we trust, and our own identity. Verification of the peer cannot be disabled.
package struct TLSIdentity: Sendable, Hashable {
    package enum Trust: Sendable, Hashable {
        /// Trusts the authorities that the machine trusts.
        case system
        /// Trusts only the authorities in this PEM file.
        case file(String)
        /// Trusts only the authorities in this PEM text.
        case pem([UInt8])
    }
    package var trust: Trust
    /// Our certificate as PEM, leaf first, then the chain, with its key. `nil` if we do not present a
    /// certificate.
    package var certificate: ClientCertificate?

    package struct ClientCertificate: Sendable, Hashable {
        package let chainPEM: [UInt8]
        /// The key, not encrypted.
        package let keyPEM: [UInt8]
        package init(chainPEM: [UInt8], keyPEM: [UInt8]) { (self.chainPEM, self.keyPEM) = (chainPEM, keyPEM) }
    }

    package init(trust: Trust = .system, certificate: ClientCertificate? = nil) {
        (self.trust, self.certificate) = (trust, certificate)
    }
}
