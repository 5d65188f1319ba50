package import PushModel

/// How many requests may be in flight on one connection, beside what its gateway allows: none too many while
/// it answers in time, half as many when it does not.
///
/// Law (additive increase, multiplicative decrease): unlimited at first; a time-out or a slow-down answer
/// halves what was in flight, at most once a second, because the answers of one burst tell the same trouble;
/// each window full of good answers adds one, until the gateway's own limit is the narrower again.
package struct SendWindow: Equatable, Sendable {
    /// `Int.max`: the gateway's own limit is all there is.
    package private(set) var limit = Int.max
    private var goodAnswers = 0
    private var lastHalving: MonotonicTime?

    private static let restSeconds: Int64 = 1

    package init() {}

    @inlinable @inline(__always)
    package var isLimited: Bool { limit != .max }

    /// What may be sent now, of what the gateway would take.
    @inlinable @inline(__always)
    package func credit(of free: Int, inFlight: Int) -> Int { min(free, max(limit - inFlight, 0)) }

    /// - Parameter inFlight: with the one that was in trouble.
    package mutating func slowDown(inFlight: Int, at now: MonotonicTime) {
        if let lastHalving, now < lastHalving.advanced(bySeconds: Self.restSeconds) { return }
        lastHalving = now
        limit = max(min(limit, inFlight) / 2, 1)
        goodAnswers = 0
    }

    /// An answer that asked for nothing.
    /// - Parameter allowed: what the gateway allows at once.
    package mutating func answered(allowed: Int) {
        guard isLimited else { return }
        goodAnswers += 1
        guard goodAnswers >= limit else { return }
        goodAnswers = 0
        limit = limit + 1 >= allowed ? .max : limit + 1
    }
}
