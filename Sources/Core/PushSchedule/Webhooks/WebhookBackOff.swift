/// How long a receiver that does not take its events is left alone.
///
/// | failure in a row | 1 | 2 | 3 | 4 | … | 12 | 13 and more |
/// |---|---|---|---|---|---|---|---|
/// | seconds before the next attempt | 1–1.5 | 2–3 | 4–6 | 8–12 | … | 2 048–3 072 | 3 600 |
///
/// Chance spreads receivers behind one failed machine. What the receiver itself asks for (`Retry-After`) is
/// waited for where it is longer, up to the same hour.
package enum WebhookBackOff {
    package static let shortestMilliseconds: Int64 = 1_000
    package static let longestMilliseconds: Int64 = 3_600_000

    /// - Parameters:
    ///   - failures: in a row, this one included.
    ///   - retryAfterSeconds: as the receiver asks; nil: it does not.
    ///   - jitter: from 0 to 1.
    package static func milliseconds(
        afterFailures failures: Int, retryAfterSeconds: Int64? = nil, jitter: Double
    ) -> Int64 {
        let doublings = min(max(failures - 1, 0), 20)
        let base = shortestMilliseconds << Int64(doublings)
        let spread = Int64(Double(base) / 2 * min(max(jitter, 0), 1))
        let asked = min(max(retryAfterSeconds ?? 0, 0), longestMilliseconds / 1_000) * 1_000
        return min(max(base + spread, asked), longestMilliseconds)
    }
}
