package import PushModel
package import PushTransport

/// A credential that was found good, as the store keeps it.
package struct IntakenCredential: Equatable, Sendable {
    package let opaque: OpaqueCredential
    /// Whom the gateway sees; never a secret.
    package let identity: String
    /// When it ends by itself; nil for keys, which do not.
    package let notAfter: WallTime?
    /// Bundle ids that a certificate names; empty where none are known.
    package let topics: [String]
    /// The only environment that it is for; nil: it serves each, or is not known to serve only one.
    package let onlyEnvironment: PushEnvironment?
    /// What sending adds to a bundle id to have the topic of the only push type that it is for; empty: nothing.
    package let topicEnding: String

    package init(
        opaque: OpaqueCredential, identity: String, notAfter: WallTime?, topics: [String],
        onlyEnvironment: PushEnvironment? = nil, topicEnding: String = ""
    ) {
        (self.opaque, self.identity, self.notAfter, self.topics) = (opaque, identity, notAfter, topics)
        (self.onlyEnvironment, self.topicEnding) = (onlyEnvironment, topicEnding)
    }
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

/// From the files that vendors hand out to credentials: every check that can be made without the gateway is made here,
/// before anything is stored. Each gateway has its own kinds.
package enum CredentialIntake {
    /// Completes the name of the file that holds the key.
    package static func keyWords(_ error: TransportError) -> String {
        guard case .identity(.keyIsEncrypted) = error.cause else { return "\(error)" }
        return "holds a private key with a password; remove it with 'openssl pkey -in FILE -out NEW'"
    }

    package static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return byte < 16 ? "0" + text : text
    }
}
