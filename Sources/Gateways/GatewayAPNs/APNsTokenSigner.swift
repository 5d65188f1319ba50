internal import Crypto
package import GatewayKit
package import PushModel
internal import PushWire

/// One key's provider token: made once, used by every request, made again before the gateway tires of it.
///
/// Signing is synchronous and the child has one thread, so there is never more than one renewal under way.
package struct APNsTokenSigner {
    /// Under the hour after which APNs refuses a token, over the twenty minutes before which it scolds.
    package static let renewAfterSeconds: Int64 = 50 * 60
    /// APNs: a new token not more than once in twenty minutes on one connection.
    package static let keepAtLeastSeconds: Int64 = 20 * 60

    private let key: APNsSigningKey
    private let privateKey: P256.Signing.PrivateKey
    private var current: (authorization: String, made: MonotonicTime)?

    package init(_ key: APNsSigningKey) throws(ConnectorError) {
        self.key = key
        do { privateKey = try P256.Signing.PrivateKey(pemRepresentation: key.privateKeyPEM) } catch {
            throw ConnectorError(
                "the .p8 of key \(key.keyID) holds no P-256 private key: take the file from Apple's site again"
            )
        }
    }

    /// Whether the token has served its time; also true before the first.
    package func isDue(at now: MonotonicTime) -> Bool {
        guard let current else { return true }
        return now >= current.made.advanced(bySeconds: Self.renewAfterSeconds)
    }

    /// The gateway called the token expired. Whether a new one may be made so soon.
    package func mayRenew(at now: MonotonicTime) -> Bool {
        guard let current else { return true }
        return now >= current.made.advanced(bySeconds: Self.keepAtLeastSeconds)
    }

    /// Makes a token and gives the value of its `authorization` field.
    package mutating func renew(at now: MonotonicTime, wall: WallTime) throws(ConnectorError) -> String {
        let input = APNsProviderToken.signingInput(keyID: key.keyID, teamID: key.teamID, issuedAt: wall)
        guard let signature = try? privateKey.signature(for: input),
            let token = APNsProviderToken.token(
                signingInput: input, signature: Array(signature.rawRepresentation))
        else { throw ConnectorError("key \(key.keyID) does not sign: give the app its .p8 again") }
        let authorization = APNsProviderToken.authorization(token)
        current = (authorization, now)
        return authorization
    }
}
