import PushModel
import PushSchedule
import Testing

/// Tests of quotas and rates that several hosts share. While a host joins and after it has left, all hosts
/// together send no more than a single host may.
@Suite struct SharedRatesTests {
    private let t0 = MonotonicTime(nanoseconds: 3_000_000_000)
    private static let step: Int64 = 10
    /// One host for 20 s, two hosts for 20 s, and one host again for 20 s, measured in steps.
    private static let (joins, leaves, end) = (2_000, 4_000, 6_000)

    private func moment(_ step: Int) -> MonotonicTime { t0.advanced(byMilliseconds: Int64(step) * Self.step) }

    /// Returns the maximum number of messages in any ten seconds.
    private func most(_ taken: [Int], inSteps length: Int = 1_000) -> Int {
        var sum = taken.prefix(length).reduce(0, +)
        var most = sum
        for step in length..<taken.count {
            sum += taken[step] - taken[step - length]
            most = max(most, sum)
        }
        return most
    }

    @Test(arguments: [60_000, 600_000], [1, 3, 70])
    func `hosts that join never cause an exceeded quota, and the quota is reached again after they leave`(
        perMinute: Int, every: Int
    ) {
        var (a, b) = (
            TokenBucket(messagesPerMinute: perMinute, rampUpSeconds: 0),
            TokenBucket(messagesPerMinute: perMinute, rampUpSeconds: 0)
        )
        b.share = 0.5
        var taken: [Int] = []
        func take(_ bucket: inout TokenBucket, _ step: Int) -> Int {
            guard step % every == 0 else { return 0 }
            let count = bucket.available(at: moment(step))
            bucket.take(count, at: moment(step))
            bucket.endReading(count)
            return count
        }
        for step in 0..<Self.end {
            if step == Self.joins { a.share = 0.5 }
            if step == Self.leaves { a.share = 1 }
            let others = step >= Self.joins && step < Self.leaves ? take(&b, step) : 0
            taken.append(take(&a, step) + others)
        }
        let ten = perMinute / 6
        #expect(Double(most(taken)) <= Double(ten) * 1.05)
        // A caller that requests rarely receives a quarter of a second's worth each time.
        guard every < 25 else { return }
        #expect(taken[(Self.leaves - 1_000)..<Self.leaves].reduce(0, +) >= ten * 98 / 100)
        #expect(taken[(Self.end - 1_000)...].reduce(0, +) >= ten * 98 / 100)
    }

    @Test func `allowance that suspended hosts saved up stays within a twentieth of ten seconds`() {
        var buckets = (0..<3).map { _ in TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0) }
        var taken: [Int] = []
        for place in buckets.indices { buckets[place].share = 1 / 3 }
        for step in 0..<3_000 {
            var sum = 0
            // All hosts pause for one second in eleven.
            for place in buckets.indices where step % 1_100 < 1_000 {
                let count = buckets[place].available(at: moment(step))
                buckets[place].take(count, at: moment(step))
                buckets[place].endReading(count)
                sum += count
            }
            taken.append(sum)
        }
        #expect((10_000...10_300).contains(most(taken)))
    }

    @Test func `halving the share halves the saved allowance too`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = bucket.available(at: t0)
        let later = t0.advanced(bySeconds: 30)
        #expect(bucket.available(at: later) == 250)
        bucket.share = 0.5
        #expect(bucket.available(at: later) == 125)
        bucket.share = 1
        #expect(bucket.available(at: later) == 125, "it runs in again, and is not there at once")
        #expect(bucket.available(at: later.advanced(byMilliseconds: 100)) == 225)
    }

    @Test func `the ramp of a quota follows the share`() {
        var bucket = TokenBucket(messagesPerMinute: 600_000, rampUpSeconds: 60)
        bucket.share = 0.25
        _ = bucket.available(at: t0)
        #expect(bucket.rate(at: t0.advanced(bySeconds: 1)) == 250)
        #expect(bucket.rate(at: t0.advanced(bySeconds: 30)) == 1_250)
        #expect(bucket.rate(at: t0.advanced(bySeconds: 61)) == 2_500)
    }

    @Test(arguments: [50, 2_000, 50_000], [1, 3, 7])
    func `hosts that join never cause an exceeded delivery rate, and the rate is reached after they leave`(
        perSecond: Int, every: Int
    ) {
        var a = DeliveryRate(perSecond: perSecond, at: t0)
        var b: DeliveryRate?
        var taken: [Int] = []
        for step in 0..<Self.end {
            if step == Self.joins {
                a.share = 0.5
                b = DeliveryRate(perSecond: perSecond, at: moment(step))
                b?.share = 0.5
            }
            if step == Self.leaves { (a.share, b) = (1, nil) }
            var count = 0
            if step % every == 0 {
                let own = a.available(.max, at: moment(step))
                a.take(own)
                a.endReading(own)
                let others = b?.available(.max, at: moment(step)) ?? 0
                b?.take(others)
                b?.endReading(others)
                count = own + others
            }
            taken.append(count)
        }
        let ten = perSecond * 10
        #expect(Double(most(taken)) <= Double(ten) * 1.05)
        #expect(taken[(Self.leaves - 1_000)..<Self.leaves].reduce(0, +) >= ten * 97 / 100)
        #expect(taken[(Self.end - 1_000)...].reduce(0, +) >= ten * 97 / 100)
    }

    @Test func `no more than the share of a rate may be taken or returned in one step`() {
        var rate = DeliveryRate(perSecond: 2_000, at: t0)
        let later = t0.advanced(bySeconds: 1)
        #expect(rate.available(.max, at: later) == 200)
        rate.share = 0.25
        #expect(rate.available(.max, at: later) == 50)
        rate.take(50)
        rate.endReading(50)
        rate.giveBack(1_000)
        #expect(rate.available(.max, at: later) == 50)
        rate.take(50)
        rate.endReading(50)
        // A fiftieth of a second's worth is still enough for a grant.
        #expect(rate.nextMoment(at: later) == later.advanced(byMilliseconds: 20))
        #expect(rate.perSecond == 2_000)
    }
}
