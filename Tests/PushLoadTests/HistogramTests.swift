import TestSupport
import Testing
import pushload

/// Compares the percentiles with those of the original values after sorting.
@Suite struct HistogramTests {
    private static let percents = [0, 1, 25, 50, 75, 90, 99, 99.9, 100]

    private func exact(_ percent: Double, of sorted: [Int]) -> Int {
        sorted[max(1, Int((percent / 100 * Double(sorted.count)).rounded(.up))) - 1]
    }

    private func expectClose(_ histogram: Histogram, to values: [Int], _ note: Comment) {
        let sorted = values.sorted()
        #expect(histogram.count == sorted.count, note)
        #expect(histogram.minimum == sorted.first && histogram.maximum == sorted.last, note)
        for percent in Self.percents {
            let (told, exact) = (histogram.percentile(percent), exact(percent, of: sorted))
            #expect(
                told >= exact && told - exact <= exact / 1_000, "p\(percent): \(told) of \(exact); \(note)")
        }
        let mean = Double(sorted.reduce(0, +)) / Double(sorted.count)
        #expect(abs(histogram.mean - mean) <= mean * 1e-9)
    }

    /// Returns values of all sizes: first a number of digits is drawn, then a number.
    private func values(_ count: Int, seed: UInt64) -> [Int] {
        var chance = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            Int.random(in: 0...(1 << Int.random(in: 0...40, using: &chance)), using: &chance)
        }
    }

    @Test(arguments: [1, 2, 10, 1_000, 20_000]) func `percentiles have three significant digits`(count: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let values = values(count, seed: seed)
            expectClose(Histogram(values), to: values, "\(count) values of seed \(seed)")
        }
    }

    @Test func `values below 2048 are exact`() {
        let values = (0..<2_048).map { $0 }
        let histogram = Histogram(values)
        for percent in Self.percents { #expect(histogram.percentile(percent) == exact(percent, of: values)) }
    }

    @Test func `each value belongs to its class, at every class boundary`() {
        for bits in 0..<40 {
            for value in [(1 << bits) - 1, 1 << bits, (1 << bits) + 1, (3 << bits) / 2] {
                let histogram = Histogram([value, value, Histogram.greatest])
                #expect(histogram.percentile(50) >= value)
                #expect(histogram.percentile(50) - value <= value / 1_000)
            }
        }
    }

    @Test func `the histograms of all parts add up to the histogram of the whole`() {
        let (one, other) = (values(3_000, seed: 7), values(500, seed: 8).map { $0 % 90 })
        var sum = Histogram(one)
        sum += Histogram(other)
        #expect(sum == Histogram(one + other))
        var reversed = Histogram(other)
        reversed += Histogram(one)
        #expect(reversed == Histogram(one + other))
        sum += Histogram()
        #expect(sum.count == 3_500)
    }

    @Test func `memory use is bounded, whatever the values`() {
        let wild = Histogram([0, .max, .min, Histogram.greatest, Histogram.greatest + 1])
        #expect(wild.maximum == Histogram.greatest && wild.minimum == 0)
        #expect(wild.classes <= 32 * 1_024)
        #expect(Histogram(repeatElement(60_000, count: 100)).classes <= 8 * 1_024)
    }

    @Test func `an empty histogram reports 0, and one call can record a value several times`() {
        let empty = Histogram()
        #expect(empty.isEmpty && empty.percentile(99) == 0 && empty.mean == 0 && empty.maximum == 0)
        var histogram = Histogram()
        histogram.record(5, times: 3)
        histogram.record(9, times: 0)
        #expect(histogram == Histogram([5, 5, 5]))
    }
}
