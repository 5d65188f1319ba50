/// The number of requests that may be in flight on a connection. The type is a value that its owner updates
/// with events.
///
/// Invariant: the number is 0 before the peer's SETTINGS and after a GOAWAY. In between, it is the minimum of
/// our own limit, the peer's limit, the number of remaining stream ids, and, until the owner calls
/// ``widen()``, the owner's initial limit.
package struct StreamAllowance: Equatable {
    /// Our own limit.
    package let most: Int
    package private(set) var initial: Int?
    package private(set) var peerAllows = 0
    package private(set) var isAccepting = true
    /// The next stream id. A client's stream ids are odd, below 2^31, and never used twice (RFC 9113, 5.1.1).
    package private(set) var nextStreamID: Int64

    package init(most: Int, initial: Int?, firstStreamID: Int64 = 1) {
        (self.most, self.initial, nextStreamID) = (most, initial, firstStreamID)
    }

    package var streamIDsLeft: Int {
        nextStreamID > Int64(Int32.max) ? 0 : Int((Int64(Int32.max) - nextStreamID) / 2) + 1
    }
    package var isExhausted: Bool { streamIDsLeft == 0 }

    package func free(inFlight: Int) -> Int {
        guard isAccepting else { return 0 }
        return max(0, min(min(most, peerAllows, initial ?? .max) - inFlight, streamIDsLeft))
    }

    /// Applies the current SETTINGS_MAX_CONCURRENT_STREAMS; `UInt32.max` if the peer did not send it.
    package mutating func settings(maximumStreams: UInt32) { peerAllows = Int(maximumStreams) }
    package mutating func widen() { initial = nil }
    package mutating func submitted(streamID: Int32) { nextStreamID = Int64(streamID) + 2 }
    package mutating func stopAccepting() { isAccepting = false }
}
