import PushModel
import PushSchedule
import Testing

struct RecentRateTests {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1e9))
    }

    @Test func `the recent rate covers the last ten seconds and nothing before`() {
        var rate = RecentRate()
        #expect(rate.perSecond(at: Self.time(5)) == 0)
        for tenth in 0..<100 { rate.add(50, at: Self.time(1_000 + Double(tenth) / 10)) }
        #expect(rate.perSecond(at: Self.time(1_009.95)) == 500)
        #expect(rate.perSecond(at: Self.time(1_014)) == 250)
        #expect(rate.perSecond(at: Self.time(1_019)) == 0)
        #expect(rate.perSecond(at: Self.time(9_999)) == 0)
    }

    @Test func `messages that were sent before a pause are not counted again after it`() {
        var rate = RecentRate()
        rate.add(100, at: Self.time(3))
        rate.add(10, at: Self.time(14))
        #expect(rate.perSecond(at: Self.time(14)) == 1)
        rate.add(10, at: Self.time(1_000_000))
        #expect(rate.perSecond(at: Self.time(1_000_001)) == 1)
    }
}
