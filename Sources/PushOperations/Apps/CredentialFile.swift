internal import PushConnectors

/// A credential as an operator has it: the bytes of a file, with what belongs to it. Secrets do not print.
package struct CredentialFile: Sendable, CustomStringConvertible {
    package enum Contents: Sendable {
        /// Apple's token signing key, a `.p8`.
        case token([UInt8], keyID: String, teamID: String)
        /// A certificate with its key, as a keychain exports it.
        case pkcs12([UInt8], password: String)
        /// A certificate and its unencrypted key.
        case pem([UInt8])
        /// A service account of a Firebase project, JSON.
        case serviceAccount([UInt8])
        /// A project's server key: FCM's legacy interface.
        case projectKey([UInt8])
    }

    /// What errors call the file.
    package var name: String
    package var contents: Contents

    package init(name: String, contents: Contents) {
        self.name = name
        self.contents = contents
    }

    package var description: String { "credential in \(name)" }

    var kind: ConnectorCatalogue.CredentialKind {
        switch contents {
        case .token: .apnsToken
        case .pkcs12, .pem: .apnsCertificate
        case .serviceAccount: .fcmServiceAccount
        case .projectKey: .fcmProjectKey
        }
    }

    /// Every check that can be made without the gateway.
    func intake() throws(OperationError) -> IntakenCredential {
        do throws(CredentialError) {
            return switch contents {
            case .token(let bytes, let keyID, let teamID):
                try CredentialIntake.token(p8: bytes, keyID: keyID, teamID: teamID)
            case .pkcs12(let bytes, let password): try CredentialIntake.pkcs12(bytes, password: password)
            case .pem(let bytes): try CredentialIntake.pem(certificateAndKey: bytes)
            case .serviceAccount(let bytes): try CredentialIntake.serviceAccount(bytes)
            case .projectKey(let bytes): try CredentialIntake.projectKey(bytes)
            }
        } catch {
            throw .refused("\(name): \(error)")
        }
    }
}
