package import PushModel
package import PushWire

/// What an app shows to APNs. The store seals its ``opaque`` form; only APNs' connectors read it.
package enum APNsCredential: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Token authentication: a key of a developer team.
    case token(APNsSigningKey)
    /// A client certificate in the TLS handshake.
    case certificate(APNsCertificate)

    /// Whom the gateway sees, the account's name; never a secret.
    package var identity: String {
        switch self {
        case .token(let key): "token:\(key.teamID):\(key.keyID)"
        case .certificate(let certificate): "certificate:\(certificate.fingerprint)"
        }
    }

    /// Secrets do not print.
    package var description: String { "APNs credential \(identity)" }
    package var debugDescription: String { description }
}

/// A `.p8` key with the two names that Apple knows it by.
package struct APNsSigningKey: Equatable, Sendable, CustomStringConvertible {
    package var keyID: String
    package var teamID: String
    /// PKCS #8 in PEM, as Apple hands it out.
    package var privateKeyPEM: String

    /// - Throws: ``WireError/credential(_:)`` where an id cannot be one. Whether the key is a key is for the
    ///   connector.
    package init(keyID: String, teamID: String, privateKeyPEM: String) throws(WireError) {
        try Self.check(keyID, name: "key id")
        try Self.check(teamID, name: "team id")
        guard privateKeyPEM.contains("-----BEGIN PRIVATE KEY-----") else {
            throw .credential(
                "the .p8 file holds no private key (PEM, \"BEGIN PRIVATE KEY\"); take the file from Apple's "
                    + "developer site as it is")
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
        if !isID { throw .credential("the \(name) is not one of Apple's: ten characters, A to Z and 0 to 9") }
    }
}

/// A client certificate with its key, unpacked from whatever it came in.
package struct APNsCertificate: Equatable, Sendable, CustomStringConvertible {
    /// The certificate, and the chain behind it where there was one.
    package var certificatePEM: String
    /// Without a password.
    package var privateKeyPEM: String
    /// SHA-256 of the certificate in lower-case hex.
    package var fingerprint: String
    package var notAfter: WallTime?
    /// Topics that the certificate names; none known where it is empty.
    package var topics: [String]

    /// - Throws: ``WireError/credential(_:)``
    package init(
        certificatePEM: String, privateKeyPEM: String, fingerprint: String, notAfter: WallTime?,
        topics: [String]
    ) throws(WireError) {
        guard certificatePEM.contains("-----BEGIN CERTIFICATE-----") else {
            throw .credential("no certificate in it (PEM, \"BEGIN CERTIFICATE\")")
        }
        guard privateKeyPEM.contains("PRIVATE KEY-----") else {
            throw .credential("no private key in it; export certificate and key together")
        }
        guard fingerprint.utf8.count == 64,
            case .canonical = APNsTokenText.check(Array(fingerprint.utf8).span)
        else {
            throw .credential("the certificate's fingerprint is not SHA-256 in lower-case hex")
        }
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
        self.fingerprint = fingerprint
        self.notAfter = notAfter
        self.topics = topics
    }

    package var description: String { "APNs certificate \(fingerprint.prefix(16))" }

    /// Whether the gateway will take this topic from it, as far as is known.
    package func covers(topic: String) -> Bool { topics.isEmpty || topics.contains(topic) }
}
