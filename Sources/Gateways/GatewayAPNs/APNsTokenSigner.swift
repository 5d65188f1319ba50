package import GatewayKit
internal import PushCrypto
package import PushModel
internal import PushWire

/// The provider token of one key. The token is created once, used for all requests, and renewed before the
/// gateway rejects it.
///
/// Signing is synchronous and the child has one thread, so at most one renewal is in progress.
package struct APNsTokenSigner {
    /// The age at which a token is renewed. APNs refuses a token that is older than an hour, and does not
    /// accept a new token within twenty minutes of the previous one.
    package static let renewAfterSeconds: Int64 = 50 * 60
    /// The age that a token must have before it may be replaced. APNs accepts a new token at most once in
    /// twenty minutes on one connection.
    package static let keepAtLeastSeconds: Int64 = 20 * 60

    private let key: APNsSigningKey
    private let privateKey: ECDSAP256Key
    private var current: (authorization: String, made: MonotonicTime)?

    package init(_ key: APNsSigningKey) throws(ConnectorError) {
        self.key = key
        do { privateKey = try ECDSAP256Key(pem: key.privateKeyPEM) } catch {
            throw ConnectorError(
                """
                the .p8 of key \(key.keyID) does not contain a P-256 private key: download the file from \
                Apple's site again
                """
            )
        }
    }

    /// Returns `true` if the token is due for renewal, or if there is no token yet.
    package func isDue(at now: MonotonicTime) -> Bool {
        guard let current else { return true }
        return now >= current.made.advanced(bySeconds: Self.renewAfterSeconds)
    }

    /// Reports whether a token that the gateway calls expired is old enough to be replaced.
    package func mayRenew(at now: MonotonicTime) -> Bool {
        guard let current else { return true }
        return now >= current.made.advanced(bySeconds: Self.keepAtLeastSeconds)
    }

    /// Creates a token and returns the value of the `authorization` field that contains it.
    package mutating func renew(at now: MonotonicTime, wall: WallTime) throws(ConnectorError) -> String {
        let input = APNsProviderToken.signingInput(keyID: key.keyID, teamID: key.teamID, issuedAt: wall)
        guard let signature = try? privateKey.signature(of: input),
            let token = APNsProviderToken.token(signingInput: input, signature: signature)
        else { throw ConnectorError("signing with key \(key.keyID) failed: import the app's .p8 again") }
        let authorization = APNsProviderToken.authorization(token)
        current = (authorization, now)
        return authorization
    }
}
