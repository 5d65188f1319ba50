import PushModel
import Testing

@Suite struct LatencyCountsTests {
    @Test(arguments: [
        (0, 0), (999_999, 0), (1_000_000, 1), (1_999_999, 1), (2_000_000, 2), (3_999_999, 2), (4_000_000, 3),
        (32_767_999_999, 15), (32_768_000_000, 16), (Int64.max, 16), (-5, 0),
    ])
    func `each bucket contains values that are below its bound`(nanoseconds: Int64, place: Int) {
        var counts = LatencyCounts()
        counts.add(nanoseconds: nanoseconds)
        #expect(counts.counts.firstIndex(of: 1) == place && counts.total == 1)
    }

    @Test func `sums cover all values, and taking the sums resets them`() {
        var counts = LatencyCounts()
        counts.add(nanoseconds: 2_500_000, count: 4)
        counts.add(nanoseconds: 1_000)
        #expect(counts.sumMicroseconds == 10_001 && counts.total == 5 && !counts.isEmpty)
        let taken = counts.take()
        #expect(taken.total == 5 && counts.isEmpty && counts == LatencyCounts())
        counts.add(taken)
        counts.add(taken)
        #expect(counts.total == 10 && counts.sumMicroseconds == 20_002)
    }
}
