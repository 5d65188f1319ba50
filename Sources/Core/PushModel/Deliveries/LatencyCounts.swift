/// How long things took, counted in fixed classes, each twice as wide as the one before: for histograms.
///
/// Made for hot paths: to count something is a division by a constant and two additions.
package struct LatencyCounts: Equatable, Sendable {
    /// The class with this place holds what took less than `2^place` milliseconds, and the last one what took
    /// longer than all of them: 1 ms to 32.768 s.
    package static let bounds = 16
    package static let classes = bounds + 1

    /// By class, not summed up.
    package var counts: [UInt64]
    package var sumMicroseconds: UInt64 = 0

    package init() { counts = [UInt64](repeating: 0, count: Self.classes) }

    package var total: UInt64 { counts.reduce(0, &+) }
    package var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

    /// - Parameter count: how many things took as long.
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

    /// What was counted since the last call.
    package mutating func take() -> LatencyCounts {
        defer { self = LatencyCounts() }
        return self
    }
}
