package import PushModel
internal import PushWire

/// Determines when a token endpoint may be queried again after it returned no token.
///
/// Invariant: a delay that the endpoint requests with `Retry-After` is respected up to ``maxSeconds``,
/// whether or not the old token still works. Without `Retry-After`, the old token determines the delay. While
/// the old token works, the endpoint may be queried again after ``betweenTriesSeconds``. If no token works,
/// the endpoint may be queried immediately, because the account's breaker limits the pace.
package struct OAuthBackoff: Equatable, Sendable {
    /// The maximum delay, whatever `Retry-After` states: the value comes from another system, and the whole
    /// account waits until the delay is over.
    package static let maxSeconds: Int32 = 300
    package static let betweenTriesSeconds: Int64 = 10

    private var notBefore: MonotonicTime?
    private var asked: Asked?
    private struct Asked: Equatable {
        let until: MonotonicTime
        let why: String
    }

    package init() {}

    /// - Parameter retryAfter: The delay in seconds, if the endpoint requested one.
    package mutating func failed(retryAfter: Int32?, why: String, at now: MonotonicTime) {
        notBefore = now.advanced(bySeconds: Self.betweenTriesSeconds)
        asked = nil
        guard let retryAfter, retryAfter > 0 else { return }
        let seconds = min(retryAfter, Self.maxSeconds)
        asked = Asked(until: now.advanced(bySeconds: Int64(seconds)), why: why)
    }

    package mutating func succeeded() { self = OAuthBackoff() }

    /// Returns the rest of the pause that the endpoint requested, in whole seconds, and the reason for the
    /// pause; `nil` if there is no pause.
    package func pause(at now: MonotonicTime) -> (seconds: Int32, why: String)? {
        guard let asked, now < asked.until else { return nil }
        return (Int32(clamping: (asked.until.milliseconds(since: now) + 999) / 1_000), asked.why)
    }

    package func mayAsk(whileUsable isUsable: Bool, at now: MonotonicTime) -> Bool {
        if pause(at: now) != nil { return false }
        if isUsable, let notBefore { return now >= notBefore }
        return true
    }
}
