package import PushModel
package import PushWire

/// The credential that an app presents to APNs. The store seals its ``opaque`` form; only the APNs connectors
/// read it.
package enum APNsCredential: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Token authentication: a key of a developer team.
    case token(APNsSigningKey)
    /// A client certificate in the TLS handshake.
    case certificate(APNsCertificate)

    /// The identity that the gateway sees, which is the account's name. It is never a secret.
    package var identity: String {
        switch self {
        case .token(let key): "token:\(key.teamID):\(key.keyID)"
        case .certificate(let certificate): "certificate:\(certificate.fingerprint)"
        }
    }

    /// A text without secrets.
    package var description: String { "APNs credential \(identity)" }
    package var debugDescription: String { description }
}

/// A `.p8` key with the two identifiers that Apple assigns to it.
package struct APNsSigningKey: Equatable, Sendable, CustomStringConvertible {
    package var keyID: String
    package var teamID: String
    /// PKCS #8 in PEM, as issued by Apple.
    package var privateKeyPEM: String

    /// - Throws: ``WireError/credential(_:)`` if an id is not valid. The connector verifies the key itself.
    package init(keyID: String, teamID: String, privateKeyPEM: String) throws(WireError) {
        try Self.check(keyID, name: "key id")
        try Self.check(teamID, name: "team id")
        guard privateKeyPEM.contains("-----BEGIN PRIVATE KEY-----") else {
            throw .credential(
                "the .p8 file holds no private key (PEM, \"BEGIN PRIVATE KEY\"); take the file from Apple's "
                    + "developer site unchanged")
        }
        self.keyID = keyID
        self.teamID = teamID
        self.privateKeyPEM = privateKeyPEM
    }

    package var description: String { "APNs key \(keyID) of team \(teamID)" }

    private static func check(_ id: String, name: String) throws(WireError) {
        let isID =
            id.utf8.count == 10
            && id.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        if !isID {
            throw .credential("the \(name) is not valid: it must be ten characters, A to Z and 0 to 9")
        }
    }
}

/// A client certificate with its key, extracted from its container.
package struct APNsCertificate: Equatable, Sendable, CustomStringConvertible {
    /// The certificate, followed by its chain if there was one.
    package var certificatePEM: String
    /// The key, not encrypted.
    package var privateKeyPEM: String
    /// The SHA-256 of the certificate in lower-case hex.
    package var fingerprint: String
    package var notAfter: WallTime?
    /// The topics that the certificate names; empty if none is known.
    package var topics: [String]

    /// - Throws: ``WireError/credential(_:)``
    package init(
        certificatePEM: String, privateKeyPEM: String, fingerprint: String, notAfter: WallTime?,
        topics: [String]
    ) throws(WireError) {
        guard certificatePEM.contains("-----BEGIN CERTIFICATE-----") else {
            throw .credential("it does not contain a certificate (PEM, \"BEGIN CERTIFICATE\")")
        }
        guard privateKeyPEM.contains("PRIVATE KEY-----") else {
            throw .credential(
                "it does not contain a private key; export the certificate and the key together")
        }
        guard fingerprint.utf8.count == 64,
            case .canonical = APNsTokenText.check(Array(fingerprint.utf8).span)
        else {
            throw .credential("the certificate's fingerprint is not a SHA-256 in lower-case hex")
        }
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
        self.fingerprint = fingerprint
        self.notAfter = notAfter
        self.topics = topics
    }

    package var description: String { "APNs certificate \(fingerprint.prefix(16))" }

    /// Returns `false` if the certificate names topics and this topic is not one of them.
    package func covers(topic: String) -> Bool { topics.isEmpty || topics.contains(topic) }
}
