package import GatewayKit
internal import PushCrypto
package import PushModel
internal import PushWire

/// Signs a service account's requests for access tokens: RS256, which is RSA with SHA-256 and PKCS #1 v1.5
/// padding (RFC 7518 §3.3).
package struct OAuthSigner {
    private let account: FCMServiceAccount
    private let privateKey: RSASigningKey

    package init(_ account: FCMServiceAccount) throws(ConnectorError) {
        self.account = account
        do { privateKey = try RSASigningKey(pem: account.privateKeyPEM) } catch {
            throw ConnectorError(
                "private_key is not an RSA key of at least 2048 bits; create a new key for the service "
                    + "account in the Firebase console and import that file")
        }
    }

    /// Returns an assertion that is valid for ``OAuthRequest/assertionSeconds``, beginning at `wall`.
    package func assertion(at wall: WallTime) throws(ConnectorError) -> String {
        let input = OAuthRequest.signingInput(account, issuedAt: wall)
        guard let signature = try? privateKey.signature(of: input),
            let assertion = OAuthRequest.assertion(signingInput: input, signature: signature)
        else {
            throw ConnectorError(
                "signing with the key of \(account.clientEmail) failed: import the app's file again")
        }
        return assertion
    }
}
