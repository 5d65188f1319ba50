import PushModel
import PushSchedule
import Testing

struct SendingEstimateTests {
    private func share(
        _ count: Int, _ account: String = "a", perMinute: Int? = nil, rampUpSeconds: Int = 0,
        perSecond: Double? = nil
    ) -> SendingEstimate.Share {
        SendingEstimate.Share(
            count: count, account: account,
            quota: perMinute.map { TokenBucket(messagesPerMinute: $0, rampUpSeconds: rampUpSeconds) },
            perSecond: perSecond)
    }

    private func estimate(_ shares: [SendingEstimate.Share], rate: Int = 0) -> SendingEstimate? {
        SendingEstimate(of: shares, ratePerSecond: rate)
    }

    @Test func `there is no estimate if nothing is known`() {
        #expect(estimate([share(100)]) == nil)
        #expect(estimate([share(100, perSecond: 10), share(100)]) == nil)
        #expect(estimate([share(100, perSecond: 10), share(0)])?.seconds == 10)
    }

    @Test func `the slowest of throughput, quota and rate determines the estimated time`() {
        let fast = estimate([share(10_000, perMinute: 600_000, perSecond: 5_000)], rate: 4_000)
        #expect(fast?.seconds == 2.5 && fast?.basis == .rate && fast?.isLeast == false)
        let slow = estimate([share(10_000, perMinute: 600_000, perSecond: 100)], rate: 4_000)
        #expect(slow?.seconds == 100 && slow?.basis == .throughput)
        let limited = estimate([share(10_000, perMinute: 6_000, perSecond: 5_000)], rate: 4_000)
        #expect(limited?.seconds == 100 && limited?.basis == .quota)
        let unknown = estimate([share(10_000)], rate: 20)
        #expect(unknown?.seconds == 500 && unknown?.basis == .rate && unknown?.isLeast == true)
    }

    @Test func `the times for several apps add up, and apps with one account share its quota`() {
        #expect(estimate([share(100, perSecond: 10), share(100, "b", perSecond: 20)])?.seconds == 15)
        #expect(estimate([share(600, perMinute: 600), share(600, perMinute: 600)])?.seconds == 120)
        #expect(estimate([share(600, perMinute: 600), share(600, "b", perMinute: 600)])?.seconds == 60)
    }

    @Test func `the estimate includes the ramp of a quota`() throws {
        let quota = try #require(share(1, perMinute: 6_000, rampUpSeconds: 60).quota)
        #expect(abs(quota.secondsFromRest(for: 30) - 3) < 0.001)
        // 6 s at a tenth of 100 a second, and 54 s at 55 a second on average.
        #expect(abs(quota.secondsFromRest(for: 60 + 2_970) - 60) < 0.001)
        #expect(abs(quota.secondsFromRest(for: 60 + 2_970 + 1_000) - 70) < 0.001)
        var last = 0.0
        for count in stride(from: 10, through: 10_000, by: 10) {
            let seconds = quota.secondsFromRest(for: count)
            #expect(seconds > last && seconds < last + 1.01)
            last = seconds
        }
    }

    @Test func `the estimate uses the throughput of the latest comparable deliveries`() {
        func rate(_ count: Int, _ samples: [(Int, Double)]) -> Double? {
            SendingEstimate.throughput(
                for: count, from: samples.map { MeasuredDelivery(messages: $0.0, seconds: $0.1) })
        }
        #expect(rate(1_000, []) == nil)
        // Most of the time for a small delivery is not proportional to its size.
        #expect(rate(100_000, [(10, 0.5), (1_000, 0.5)]) == nil)
        #expect(rate(100_000, [(10, 0.5), (25_000, 5)]) == 5_000)
        #expect(rate(1_000_000, [(2_000, 10)]) == 200)
        #expect(rate(100, [(24, 1), (25, 1)]) == 25)
        // One of three deliveries may have been paused. Older deliveries do not count.
        #expect(rate(100, [(100, 1), (100, 500), (100, 2), (100, 0.1), (100, 0.1)]) == 50)
        #expect(rate(100, [(100, 0), (0, 1)]) == nil)
        // The ramp limited the first delivery, and the gateway limited the second.
        let quota = TokenBucket(messagesPerMinute: 6_000, rampUpSeconds: 60)
        for (sample, expected) in [((3_000, 60.0), 100.0), ((3_000, 300), 10)] {
            let measured = MeasuredDelivery(messages: sample.0, seconds: sample.1)
            #expect(SendingEstimate.throughput(for: 10_000, from: [measured], quota: quota) == expected)
        }
        #expect(SendingEstimate.leastSize(for: 100) == 25 && SendingEstimate.leastSize(for: 0) == 1)
        #expect(SendingEstimate.leastSize(for: 1_000_000) == 1_000)
    }
}
