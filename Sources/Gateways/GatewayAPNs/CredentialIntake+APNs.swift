package import GatewayKit
package import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Reads credentials in the formats that Apple's site and the keychain provide.
extension CredentialIntake {
    /// Reads a `.p8` key for token authentication.
    package static func token(
        p8: [UInt8], keyID: String, teamID: String
    ) throws(CredentialError) -> VerifiedCredential {
        do {
            let key = try APNsSigningKey(
                keyID: keyID, teamID: teamID,
                privateKeyPEM: String(decoding: try signingKey(p8), as: UTF8.self))
            _ = try APNsTokenSigner(key)
            let credential = APNsCredential.token(key)
            return VerifiedCredential(
                opaque: credential.opaque, identity: credential.identity, notAfter: nil, topics: [])
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// Returns the key of a `.p8` file as PKCS #8.
    private static func signingKey(_ p8: [UInt8]) throws -> [UInt8] {
        guard !String(decoding: p8, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw ConnectorError("the .p8 contains a certificate; import it with --pem")
        }
        let key: PrivateKey
        do throws(TransportError) { key = try PrivateKey(pem: p8) } catch {
            throw ConnectorError("the .p8 \(keyWords(error))")
        }
        let found: String
        switch key.kind {
        case .elliptic(curve: "prime256v1"): return key.pem
        case .elliptic(let curve): found = "a key on the curve \(curve)"
        case .rsa: found = "an RSA key"
        case .other(let name): found = "a key of type \(name)"
        }
        throw ConnectorError(
            """
            the .p8 contains \(found), but Apple's keys are P-256: download the file (AuthKey_….p8) from \
            Apple's site
            """
        )
    }

    /// Reads a certificate with its key from a `.p12` file, including a file that was exported from a
    /// keychain.
    package static func pkcs12(_ bytes: [UInt8], password: String) throws(CredentialError)
        -> VerifiedCredential
    {
        do {
            let pair = try PKCS12.read(bytes, password: password)
            return try certificate(chainPEM: pair.chainPEM, keyPEM: pair.keyPEM)
        } catch {
            throw .unusable("the .p12 cannot be used: \(error)")
        }
    }

    /// Reads a certificate and its key from one PEM text.
    package static func pem(certificateAndKey: [UInt8]) throws(CredentialError) -> VerifiedCredential {
        // The transport passes the text to OpenSSL, which does not recognise a block that follows a byte
        // order mark.
        let text = ByteOrderMark.removed(from: certificateAndKey)
        do { return try certificate(chainPEM: text, keyPEM: text) } catch {
            throw .unusable("the .pem cannot be used: \(error)")
        }
    }

    private static func certificate(chainPEM: [UInt8], keyPEM: [UInt8]) throws -> VerifiedCredential {
        try Certificate.check(chainPEM: chainPEM, keyPEM: keyPEM)
        let facts = try Certificate(pem: chainPEM)
        let notAfter = WallTime(secondsSince1970: facts.notAfter)
        guard notAfter > Clocks.wall() else {
            throw ConnectorError(
                "contains an expired certificate: renew it with Apple and export it again")
        }
        let kind = facts.commonName.flatMap { APNsCertificateKind(commonName: $0) }
        if case .other(let purpose) = kind {
            throw ConnectorError(
                "contains a certificate for \(purpose): create one of the kind 'Apple Push Notification "
                    + "service SSL' on Apple's site")
        }
        let topics = facts.userID.map { [kind?.bundleID(userID: $0) ?? $0] } ?? []
        let certificate = try APNsCertificate(
            certificatePEM: String(decoding: chainPEM, as: UTF8.self),
            privateKeyPEM: String(decoding: keyPEM, as: UTF8.self),
            fingerprint: facts.fingerprint.map { Self.hex($0) }.joined(), notAfter: notAfter,
            topics: topics)
        let credential = APNsCredential.certificate(certificate)
        return VerifiedCredential(
            opaque: credential.opaque, identity: credential.identity, notAfter: notAfter,
            topics: certificate.topics, onlyEnvironment: kind?.environment,
            topicEnding: kind?.topicEnding ?? "")
    }

    /// Returns the certificate in a stored credential; `nil` if the credential is of another kind or cannot
    /// be read. Expired certificates are also read.
    package static func certificate(in stored: OpaqueCredential) -> VerifiedCredential? {
        guard case .certificate(let certificate)? = try? APNsCredential(stored),
            let facts = try? Certificate(pem: Array(certificate.certificatePEM.utf8))
        else { return nil }
        let kind = facts.commonName.flatMap { APNsCertificateKind(commonName: $0) }
        return VerifiedCredential(
            opaque: stored, identity: APNsCredential.certificate(certificate).identity,
            notAfter: WallTime(secondsSince1970: facts.notAfter),
            topics: facts.userID.map { [kind?.bundleID(userID: $0) ?? $0] } ?? [],
            onlyEnvironment: kind?.environment, topicEnding: kind?.topicEnding ?? "")
    }
}
