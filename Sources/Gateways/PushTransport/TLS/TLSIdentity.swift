/// Whom we trust and who we are. Verification of the peer cannot be turned off.
package struct TLSIdentity: Sendable, Hashable {
    package enum Trust: Sendable, Hashable {
        /// What the machine trusts.
        case system
        /// Only the authorities in this PEM file.
        case file(String)
        /// Only the authorities in this PEM text.
        case pem([UInt8])
    }
    package var trust: Trust
    /// Our certificate, leaf first, then the chain, as PEM; with its key. `nil`: we show none.
    package var certificate: ClientCertificate?

    package struct ClientCertificate: Sendable, Hashable {
        package let chainPEM: [UInt8]
        /// Unencrypted.
        package let keyPEM: [UInt8]
        package init(chainPEM: [UInt8], keyPEM: [UInt8]) { (self.chainPEM, self.keyPEM) = (chainPEM, keyPEM) }
    }

    package init(trust: Trust = .system, certificate: ClientCertificate? = nil) {
        (self.trust, self.certificate) = (trust, certificate)
    }
}
