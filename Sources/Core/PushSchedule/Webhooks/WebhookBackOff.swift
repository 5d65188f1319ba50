/// How long the engine waits for a receiver that does not accept its events.
///
/// | failure in a row | 1 | 2 | 3 | 4 | … | 12 | 13 and more |
/// |---|---|---|---|---|---|---|---|
/// | seconds before the next attempt | 1–1.5 | 2–3 | 4–6 | 8–12 | … | 2 048–3 072 | 3 600 |
///
/// A random component spreads the attempts for receivers that share one failed machine. If the receiver
/// requests a longer delay (`Retry-After`), that delay applies, up to the same maximum of one hour.
package enum WebhookBackOff {
    package static let minMilliseconds: Int64 = 1_000
    package static let maxMilliseconds: Int64 = 3_600_000

    /// - Parameters:
    ///   - failures: The number of failures in a row, including this one.
    ///   - retryAfterSeconds: The delay that the receiver requests; `nil` if it requests none.
    ///   - jitter: A number from 0 to 1.
    package static func milliseconds(
        afterFailures failures: Int, retryAfterSeconds: Int64? = nil, jitter: Double
    ) -> Int64 {
        let doublings = min(max(failures - 1, 0), 20)
        let base = minMilliseconds << Int64(doublings)
        let spread = Int64(Double(base) / 2 * min(max(jitter, 0), 1))
        let asked = min(max(retryAfterSeconds ?? 0, 0), maxMilliseconds / 1_000) * 1_000
        return min(max(base + spread, asked), maxMilliseconds)
    }
}
