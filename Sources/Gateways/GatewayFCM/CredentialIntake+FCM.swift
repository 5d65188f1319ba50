package import GatewayKit
internal import PushCrypto
internal import PushModel
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Reads credentials in the formats that Google's console provides.
extension CredentialIntake {
    /// Reads the JSON file of a service account, for FCM over HTTP v1.
    package static func serviceAccount(_ json: [UInt8]) throws(CredentialError) -> VerifiedCredential {
        do {
            var account = try FCMServiceAccount(json: json)
            account.privateKeyPEM = try keyPEM(of: account)
            _ = try OAuthSigner(account).assertion(at: Clocks.wall())
            return verified(.serviceAccount(account))
        } catch {
            throw .unusable("\(error)")
        }
    }

    /// Returns the key as PKCS #8.
    private static func keyPEM(of account: FCMServiceAccount) throws -> String {
        do throws(TransportError) {
            return String(decoding: try PrivateKey(pem: Array(account.privateKeyPEM.utf8)).pem, as: UTF8.self)
        } catch {
            throw ConnectorError(
                "private_key \(keyWords(error)); create a new key for the service account in the Firebase "
                    + "console and import that file")
        }
    }

    /// Reads a file with a project key, for FCM's legacy interface, which only private gateways still
    /// support.
    package static func projectKey(_ text: [UInt8]) throws(CredentialError) -> VerifiedCredential {
        guard let text = String(validating: text, as: UTF8.self) else {
            throw .unusable("the file does not contain a project key: it is not a text file")
        }
        do {
            let key = try FCMProjectKey.key(in: text)
            let digest = SHA256.digest(of: Array(key.utf8)).prefix(16).map { hex($0) }.joined()
            return verified(.projectKey(try FCMProjectKey(text, fingerprint: digest)))
        } catch {
            throw .unusable("\(error)")
        }
    }

    private static func verified(_ credential: FCMCredential) -> VerifiedCredential {
        VerifiedCredential(
            opaque: credential.opaque, identity: credential.identity, notAfter: nil, topics: [])
    }
}
