package import PushModel

/// Limits the number of requests in flight on one connection, in addition to the gateway's own limit. The
/// window is unlimited while the gateway answers in time, and is reduced if the gateway does not.
///
/// Invariant (additive increase, multiplicative decrease): the window is unlimited at first. A time-out or a
/// slow-down answer halves the window, or the number of requests in flight if that is lower, at most once a
/// second, because the answers of one burst report the same problem. Each full window of good answers
/// increases the window by one, until it exceeds the gateway's own limit and is unlimited again.
package struct SendWindow: Equatable, Sendable {
    /// The size of the window; `Int.max` if only the gateway's own limit applies.
    package private(set) var limit = Int.max
    private var goodAnswers = 0
    private var lastHalving: MonotonicTime?

    private static let restSeconds: Int64 = 1

    package init() {}

    @inlinable @inline(__always)
    package var isLimited: Bool { limit != .max }

    /// Returns the number of requests that may be sent now, given the number that the gateway would accept.
    @inlinable @inline(__always)
    package func credit(of free: Int, inFlight: Int) -> Int { min(free, max(limit - inFlight, 0)) }

    /// - Parameter inFlight: The number of requests in flight, including the request that had the problem.
    package mutating func slowDown(inFlight: Int, at now: MonotonicTime) {
        if let lastHalving, now < lastHalving.advanced(bySeconds: Self.restSeconds) { return }
        lastHalving = now
        limit = max(min(limit, inFlight) / 2, 1)
        goodAnswers = 0
    }

    /// Records an answer that did not request a slow-down.
    /// - Parameter allowed: The number of simultaneous requests that the gateway allows.
    package mutating func answered(allowed: Int) {
        guard isLimited else { return }
        goodAnswers += 1
        guard goodAnswers >= limit else { return }
        goodAnswers = 0
        limit = limit + 1 >= allowed ? .max : limit + 1
    }
}
