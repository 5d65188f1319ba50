/// The OAuth access tokens that were handed out, and until when each is good.
package final class AccessTokens {
    /// How long a new one is good.
    package let lifetime: Int
    private var expiries: [String: Instant] = [:]
    /// The one that was asked for last, which is nearly always the one that is asked for next.
    private var latest: (value: [UInt8], expiry: Instant)?

    /// `lifetime` in seconds.
    package init(lifetime: Int) { self.lifetime = lifetime }

    package func issue(at now: Instant) -> String {
        expiries = expiries.filter { $0.value > now }
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        let token = "ya29." + String((0..<120).map { _ in letters[Int.random(in: letters.indices)] })
        expiries[token] = now + .seconds(UInt64(lifetime))
        return token
    }

    /// Judges the value of `authorization`.
    package func isGood(_ authorization: Bytes?, at now: Instant) -> Bool {
        guard let authorization else { return false }
        if let latest, authorization.equals(latest.value) { return latest.expiry > now }
        guard authorization.starts(with: "Bearer ") || authorization.starts(with: "bearer "),
            let expiry = expiries[authorization.from(7).text]
        else { return false }
        latest = (Array(authorization), expiry)
        return expiry > now
    }
}
