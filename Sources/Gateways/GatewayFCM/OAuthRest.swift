package import PushModel
internal import PushWire

/// When a token endpoint may be asked again after it gave none.
///
/// Law: what the endpoint asks for by `Retry-After` is kept, whether or not the old token still works, up to
/// ``longestSeconds``; without it the endpoint may be asked at once where nothing works, for the account's
/// breaker keeps the pace, and after ``betweenTriesSeconds`` while the old token works.
package struct OAuthRest: Equatable, Sendable {
    /// The endpoint is asked again after this, whatever its `Retry-After` says: the number comes from outside, and
    /// all of the account waits for it.
    package static let longestSeconds: Int32 = 300
    package static let betweenTriesSeconds: Int64 = 10

    private var notBefore: MonotonicTime?
    private var asked: Asked?
    private struct Asked: Equatable {
        let until: MonotonicTime
        let why: String
    }

    package init() {}

    /// - Parameter retryAfter: seconds, where the endpoint said.
    package mutating func failed(retryAfter: Int32?, why: String, at now: MonotonicTime) {
        notBefore = now.advanced(bySeconds: Self.betweenTriesSeconds)
        asked = nil
        guard let retryAfter, retryAfter > 0 else { return }
        let seconds = min(retryAfter, Self.longestSeconds)
        asked = Asked(until: now.advanced(bySeconds: Int64(seconds)), why: why)
    }

    package mutating func succeeded() { self = OAuthRest() }

    /// What the endpoint asked for and is not over: whole seconds, and its reason.
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
