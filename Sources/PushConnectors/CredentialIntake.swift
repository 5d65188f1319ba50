internal import Crypto
package import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// A credential that was found good, as the store keeps it.
package struct IntakenCredential: Equatable, Sendable {
    package let opaque: OpaqueCredential
    /// Whom the gateway sees; never a secret.
    package let identity: String
    /// When it ends by itself; nil for keys, which do not.
    package let notAfter: WallTime?
    /// Topics that a certificate names; empty where none are known.
    package let topics: [String]
}

/// What an operator's file lacks to be a credential: one line, nothing secret.
package enum CredentialError: Error, Equatable, CustomStringConvertible {
    case unusable(String)
    package var description: String {
        switch self {
        case .unusable(let why): why
        }
    }
}

/// From the files that Apple's site and the keychain hand out to credentials: every check that can be made
/// without the gateway is made here, before anything is stored.
package enum CredentialIntake {
    /// A `.p8` key of token authentication.
    package static func token(
        p8: [UInt8], keyID: String, teamID: String
    ) throws(CredentialError) -> IntakenCredential {
        do {
            let key = try APNsSigningKey(
                keyID: keyID, teamID: teamID, privateKeyPEM: String(decoding: p8, as: UTF8.self))
            _ = try APNsTokenSigner(key)
            let credential = APNsCredential.token(key)
            return IntakenCredential(
                opaque: credential.opaque, identity: credential.identity, notAfter: nil, topics: [])
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// A certificate with its key in a `.p12`, also as a keychain exports it.
    package static func pkcs12(_ bytes: [UInt8], password: String) throws(CredentialError)
        -> IntakenCredential
    {
        do {
            let pair = try PKCS12.read(bytes, password: password)
            return try certificate(chainPEM: pair.chainPEM, keyPEM: pair.keyPEM)
        } catch {
            throw .unusable("the .p12 cannot be used: \(error)")
        }
    }

    /// A certificate and its key in one PEM text.
    package static func pem(certificateAndKey: [UInt8]) throws(CredentialError) -> IntakenCredential {
        do { return try certificate(chainPEM: certificateAndKey, keyPEM: certificateAndKey) } catch {
            throw .unusable("the .pem cannot be used: \(error)")
        }
    }

    private static func certificate(chainPEM: [UInt8], keyPEM: [UInt8]) throws -> IntakenCredential {
        try Certificate.check(chainPEM: chainPEM, keyPEM: keyPEM)
        let facts = try Certificate(pem: chainPEM)
        let notAfter = WallTime(secondsSince1970: facts.notAfter)
        guard notAfter > Clocks.wall() else {
            throw ConnectorError(
                "holds a certificate that has expired: renew it with Apple and export it again")
        }
        let certificate = try APNsCertificate(
            certificatePEM: String(decoding: chainPEM, as: UTF8.self),
            privateKeyPEM: String(decoding: keyPEM, as: UTF8.self),
            fingerprint: facts.fingerprint.map { Self.hex($0) }.joined(), notAfter: notAfter,
            topics: facts.userID.map { [$0] } ?? [])
        let credential = APNsCredential.certificate(certificate)
        return IntakenCredential(
            opaque: credential.opaque, identity: credential.identity, notAfter: notAfter,
            topics: certificate.topics)
    }

    static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return byte < 16 ? "0" + text : text
    }
}
