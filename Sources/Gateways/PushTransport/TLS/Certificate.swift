internal import CPushShims

/// The contents of a PEM certificate. See also ``PKCS12``.
package struct Certificate: Sendable, Equatable {
    /// The subject in the notation of RFC 2253: `CN=Apple Push Services: com.example,UID=com.example,…`.
    package let subject: String
    /// The subject's UID, which contains the bundle id in Apple's certificates.
    package let userID: String?
    /// The subject's CN, which states the purpose in Apple's certificates.
    package let commonName: String?
    /// The beginning of the certificate's validity, in seconds since 1970.
    package let notBefore: Int64
    package let notAfter: Int64
    /// SHA-256 of the certificate: 32 bytes.
    package let fingerprint: [UInt8]

    /// Reads the first certificate of a PEM text.
    package init(pem: [UInt8]) throws(TransportError) {
        var facts = push_certificate_facts()
        let status = pem.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return PUSH_IDENTITY_UNREADABLE }
            return push_certificate_read(start, bytes.count, &facts)
        }
        guard status == PUSH_IDENTITY_OK else { throw Self.missing(in: pem) }
        subject = textOf(facts.subject)
        let (user, name) = (textOf(facts.user_id), textOf(facts.common_name))
        userID = user.isEmpty ? nil : user
        commonName = name.isEmpty ? nil : name
        (notBefore, notAfter) = (facts.not_before, facts.not_after)
        fingerprint = withUnsafeBytes(of: facts.sha256) { Array($0) }
    }

    /// Checks that the key is usable and belongs to the certificate. If a `.pem` file contains both, pass it
    /// twice.
    package static func check(chainPEM: [UInt8], keyPEM: [UInt8]) throws(TransportError) {
        let status = chainPEM.withUnsafeBufferPointer { chain in
            keyPEM.withUnsafeBufferPointer { key in
                guard let chainStart = chain.baseAddress else { return PUSH_IDENTITY_NO_CERTIFICATE }
                guard let keyStart = key.baseAddress else { return PUSH_IDENTITY_UNREADABLE }
                return push_key_matches(chainStart, chain.count, keyStart, key.count)
            }
        }
        switch status {
        case PUSH_IDENTITY_OK: return
        case PUSH_IDENTITY_NO_KEY: throw TransportError(.identity(.keyOfAnotherCertificate))
        case PUSH_IDENTITY_WRONG_PASSWORD: throw TransportError(.identity(.keyIsEncrypted))
        case PUSH_IDENTITY_NO_CERTIFICATE: throw missing(in: chainPEM)
        default:
            // If OpenSSL cannot read the key, this throws the reason.
            _ = try PrivateKey(pem: keyPEM)
            throw TransportError(.identity(.noKey))
        }
    }

    private static func missing(in pem: [UInt8]) -> TransportError {
        TransportError(.identity(PEMFault.layoutFault(in: pem) ?? .noCertificate))
    }

    /// Reports whether this PEM key needs a password.
    package static func isEncrypted(keyPEM: [UInt8]) -> Bool {
        keyPEM.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { push_key_is_encrypted($0, bytes.count) } ?? false
        }
    }
}

/// Returns the zero-terminated text in a C array.
func textOf<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
