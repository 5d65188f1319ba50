package import PushModel
package import PushTransport

/// A verified credential in the form in which the store keeps it.
package struct VerifiedCredential: Equatable, Sendable {
    package let opaque: OpaqueCredential
    /// The identity that the gateway sees. It is never a secret.
    package let identity: String
    /// The time when the credential expires; `nil` for keys, which do not expire.
    package let notAfter: WallTime?
    /// The bundle ids that a certificate names; empty if none is known.
    package let topics: [String]
    /// The only environment for which the credential is valid; `nil` if it is valid in both environments, or
    /// is not known to be limited to one.
    package let onlyEnvironment: PushEnvironment?
    /// The suffix that is appended to a bundle id to obtain the topic of the only push type for which the
    /// credential is valid; empty if there is no such suffix.
    package let topicEnding: String

    package init(
        opaque: OpaqueCredential, identity: String, notAfter: WallTime?, topics: [String],
        onlyEnvironment: PushEnvironment? = nil, topicEnding: String = ""
    ) {
        (self.opaque, self.identity, self.notAfter, self.topics) = (opaque, identity, notAfter, topics)
        (self.onlyEnvironment, self.topicEnding) = (onlyEnvironment, topicEnding)
    }
}

/// The reason why an operator's file is not a credential: one line without secrets.
package enum CredentialError: Error, Equatable, CustomStringConvertible {
    case unusable(String)
    package var description: String {
        switch self {
        case .unusable(let why): why
        }
    }
}

/// Creates credentials from files that vendors issue. Makes every check that does not need the gateway,
/// before anything is stored. Each gateway has its own kinds of credentials.
package enum CredentialIntake {
    /// Describes the error in a text that follows the name of the file that contains the key.
    package static func keyWords(_ error: TransportError) -> String {
        guard case .identity(.keyIsEncrypted) = error.cause else { return "\(error)" }
        return
            """
            contains a password-protected private key; remove the password with 'openssl pkey -in FILE \
            -out NEW'
            """
    }

    package static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return byte < 16 ? "0" + text : text
    }
}
