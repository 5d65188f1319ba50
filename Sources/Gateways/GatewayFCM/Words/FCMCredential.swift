package import PushWire

/// The credential that an app presents to FCM. The store seals its ``opaque`` form; only the FCM connectors
/// read it.
package enum FCMCredential: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// HTTP v1: a service account, which signs requests for OAuth tokens.
    case serviceAccount(FCMServiceAccount)
    /// The legacy interface: a project's key.
    case projectKey(FCMProjectKey)

    /// The identity that the gateway sees, which is the account's name. It is never a secret.
    package var identity: String {
        switch self {
        case .serviceAccount(let account): "project:\(account.projectID):\(account.clientEmail)"
        case .projectKey(let key): "projectkey:\(key.fingerprint)"
        }
    }

    /// A text without secrets.
    package var description: String { "FCM credential \(identity)" }
    package var debugDescription: String { description }
}

/// A project's key for the legacy interface.
package struct FCMProjectKey: Equatable, Sendable, CustomStringConvertible {
    package var key: String
    /// The beginning of the key's SHA-256 in lower-case hex, which identifies the key without revealing it.
    package var fingerprint: String

    /// - Parameters:
    ///   - text: The content of a key file. White space around the key is not part of it.
    ///   - fingerprint: The fingerprint of ``key(in:)``, 16 to 64 digits.
    /// - Throws: ``WireError/credential(_:)``
    package init(_ text: String, fingerprint: String) throws(WireError) {
        key = try Self.key(in: text)
        let digits = Array("0123456789abcdef".utf8)
        guard (16...64).contains(fingerprint.utf8.count), fingerprint.utf8.allSatisfy(digits.contains) else {
            throw .credential("the project key's fingerprint is not a SHA-256 in lower-case hex")
        }
        self.fingerprint = fingerprint
    }

    /// Returns the key in the text of a file.
    package static func key(in text: String) throws(WireError) -> String {
        let key = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard (1...1024).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .credential(
                """
                the file does not contain a project key: one line without spaces, as shown in the \
                Firebase console
                """
            )
        }
        guard !key.hasPrefix("{") else {
            throw .credential(
                "the file contains JSON, not a project key; use --service-account if it is a service account")
        }
        return key
    }

    package var description: String { "FCM project key \(fingerprint)" }
}
