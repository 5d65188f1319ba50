/// The number of occurrences of each value, to three significant digits and in bounded memory.
///
/// The design is that of HdrHistogram (Gil Tene): classes of equal width within each power of two. Each value
/// below 2 048 has its own class. Above that, the width of a class is at most a 1 024th of its values. Two
/// histograms can be added without loss, so the percentiles of any period can be derived from the histograms
/// of its intervals. A mean of percentiles would not be a percentile.
///
/// Values are whole numbers, 0 or greater, in the caller's unit. ``greatest`` stands for all values above it.
package struct Histogram: Equatable, Sendable {
    /// The binary logarithm of the number of initial classes, which contain one value each. Each higher power
    /// of two has half as many classes.
    private static let linearBits = 11
    private static let half = 1 << (linearBits - 1)
    /// Values above this one are recorded as this value. As a number of milliseconds, it is 34 years.
    package static let greatest = 1 << 40

    /// The counts up to the highest class that has a value.
    private var counts: [Int] = []
    package private(set) var count = 0
    /// The exact minimum; 0 if there are no values.
    package private(set) var minimum = 0
    package private(set) var maximum = 0
    private var sum = 0.0

    package init() {}

    package init(_ values: some Sequence<Int>) {
        for value in values { record(value) }
    }

    package var isEmpty: Bool { count == 0 }
    /// The exact mean; 0 if there are no values.
    package var mean: Double { isEmpty ? 0 : sum / Double(count) }
    /// The number of classes for which memory is allocated.
    package var classes: Int { counts.count }

    /// - Parameter times: The number of occurrences.
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

    /// Returns the smallest value that is greater than or equal to at least the given percentage of the
    /// values, rounded up to the greatest value of its class. The result is exact for 100 percent. The result
    /// is 0 if there are no values.
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

    /// Returns the class of a value. If the value has more than ``linearBits`` binary digits, the excess
    /// lowest digits are dropped.
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
