/// Counts of durations in fixed classes, for histograms. Each class is twice as wide as the previous one.
///
/// It is intended for hot paths: counting an event takes only a few arithmetic instructions.
package struct LatencyCounts: Equatable, Sendable {
    /// The number of classes with an upper bound. The class with index `place` contains durations below
    /// `2^place` milliseconds, so the bounds range from 1 ms to 32.768 s. One more class contains all longer
    /// durations.
    package static let bounds = 16
    package static let classes = bounds + 1

    /// Counts by class, not cumulative.
    package var counts: [UInt64]
    package var sumMicroseconds: UInt64 = 0

    package init() { counts = [UInt64](repeating: 0, count: Self.classes) }

    package var total: UInt64 { counts.reduce(0, &+) }
    package var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    /// Counts a duration.
    /// - Parameter count: The number of events with this duration.
    @inlinable
    package mutating func add(nanoseconds: Int64, count: Int = 1) {
        let microseconds = UInt64(max(nanoseconds, 0)) / 1_000
        let milliseconds = microseconds / 1_000
        let place = min(UInt64.bitWidth - milliseconds.leadingZeroBitCount, counts.count - 1)
        counts[place] &+= UInt64(count)
        sumMicroseconds &+= microseconds &* UInt64(count)
    }

    package mutating func add(_ other: LatencyCounts) {
        for place in counts.indices { counts[place] &+= other.counts[place] }
        sumMicroseconds &+= other.sumMicroseconds
    }

    /// Returns the counts since the last call and resets them.
    package mutating func take() -> LatencyCounts {
        defer { self = LatencyCounts() }
        return self
    }
}
