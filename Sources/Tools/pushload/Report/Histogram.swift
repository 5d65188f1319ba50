/// How often each value occurred, to three significant digits, in bounded memory.
///
/// The idea is HdrHistogram's (Gil Tene): classes of equal width within each power of two. Values below 2 048
/// have a class each; above, a class is at most a 1 024th of its values wide. Two histograms are added up
/// without loss, so percentiles over any time come from those of its intervals; a mean of percentiles would
/// be none.
///
/// Values are whole numbers of the caller's unit, from 0 on; ``greatest`` stands for all that is above it.
package struct Histogram: Equatable, Sendable {
    /// Of classes, one for each value, at the start; half as many for each power of two above.
    private static let linearBits = 11
    private static let half = 1 << (linearBits - 1)
    /// In milliseconds, 34 years.
    package static let greatest = 1 << 40

    /// As long as the highest class that has a value.
    private var counts: [Int] = []
    package private(set) var count = 0
    /// Exact; 0 where there is no value.
    package private(set) var minimum = 0
    package private(set) var maximum = 0
    private var sum = 0.0

    package init() {}

    package init(_ values: some Sequence<Int>) {
        for value in values { record(value) }
    }

    package var isEmpty: Bool { count == 0 }
    /// Exact; 0 where there is no value.
    package var mean: Double { isEmpty ? 0 : sum / Double(count) }
    /// Classes that memory is held for.
    package var classes: Int { counts.count }

    /// - Parameter times: how often it occurred.
    package mutating func record(_ value: Int, times: Int = 1) {
        guard times > 0 else { return }
        let value = min(max(value, 0), Self.greatest)
        let place = Self.place(of: value)
        if place >= counts.count { counts += repeatElement(0, count: place + 1 - counts.count) }
        counts[place] += times
        minimum = isEmpty ? value : min(minimum, value)
        maximum = max(maximum, value)
        count += times
        sum += Double(value) * Double(times)
    }

    package static func += (all: inout Histogram, other: Histogram) {
        guard !other.isEmpty else { return }
        if other.counts.count > all.counts.count {
            all.counts += repeatElement(0, count: other.counts.count - all.counts.count)
        }
        for (place, count) in other.counts.enumerated() where count > 0 { all.counts[place] += count }
        all.minimum = all.isEmpty ? other.minimum : min(all.minimum, other.minimum)
        all.maximum = max(all.maximum, other.maximum)
        all.count += other.count
        all.sum += other.sum
    }

    /// The least value that so many percent of the values do not exceed, as the greatest of its class; exact
    /// at 100. 0 where there is no value.
    package func percentile(_ percent: Double) -> Int {
        guard !isEmpty else { return 0 }
        let share = min(max(percent, 0), 100) / 100
        let wanted = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (place, count) in counts.enumerated() where count > 0 {
            seen += count
            if seen >= wanted { return min(Self.greatest(at: place), maximum) }
        }
        return maximum
    }

    // MARK: Classes

    /// Above ``linearBits`` digits the lowest are dropped, as many as the value has more.
    private static func place(of value: Int) -> Int {
        let dropped = max(0, Int.bitWidth - value.leadingZeroBitCount - linearBits)
        return dropped * half + value >> dropped
    }

    private static func greatest(at place: Int) -> Int {
        guard place >= 2 * half else { return place }
        let dropped = place / half - 1
        return (place - dropped * half + 1) << dropped - 1
    }
}
