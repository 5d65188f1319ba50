import PushModel
import PushSchedule
import Testing

@Suite struct `A token bucket` {
    let t0 = MonotonicTime(nanoseconds: 7_000_000_000)

    /// Returns the number of messages that a sender without pauses receives in the given seconds if it
    /// requests messages every ten milliseconds.
    func taken(_ bucket: inout TokenBucket, from: Int64 = 0, to seconds: Int64) -> Int {
        var total = 0
        for step in (from * 100)..<(seconds * 100) {
            let now = t0.advanced(byMilliseconds: step * 10)
            let count = bucket.available(at: now)
            bucket.take(count, at: now)
            bucket.endReading(count)
            total += count
        }
        return total
    }

    @Test func `the bucket accumulates nothing while the store does not answer`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        var granted = 0
        for step in Int64(0)..<500 {
            let now = t0.advanced(byMilliseconds: step * 10)
            let count = bucket.available(at: now)
            bucket.take(count, at: now)
            granted += count
        }
        #expect((200...250).contains(granted))
        bucket.endReading(granted)
        let total = granted + taken(&bucket, from: 5, to: 15)
        #expect((9_900...10_250).contains(total))
    }

    @Test func `the bucket grants exactly the quota`() {
        var bucket = TokenBucket(messagesPerMinute: 600_000, rampUpSeconds: 0)
        let total = taken(&bucket, to: 30)
        #expect((299_000...300_000).contains(total))
    }

    @Test func `the bucket contains at most a quarter of a second's worth of the rate`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = bucket.available(at: t0)
        let available = bucket.available(at: t0.advanced(bySeconds: 30))
        #expect(available == 250)
    }

    @Test func `the bucket starts at a tenth of the quota and reaches the whole quota after the ramp`() {
        var bucket = TokenBucket(messagesPerMinute: 600_000, rampUpSeconds: 60)
        let first = taken(&bucket, to: 6)
        #expect((5_800...6_100).contains(first))
        #expect(bucket.rate(at: t0.advanced(bySeconds: 30)) == 5_000)
        #expect(bucket.rate(at: t0.advanced(bySeconds: 61)) == 10_000)
    }

    @Test func `the bucket restarts its ramp after an idle period, and not before`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 10)
        _ = taken(&bucket, to: 20)
        _ = bucket.available(at: t0.advanced(bySeconds: 70))
        #expect(bucket.rate(at: t0.advanced(bySeconds: 70)) == 1_000)
        _ = bucket.available(at: t0.advanced(bySeconds: 81))
        #expect(bucket.rate(at: t0.advanced(bySeconds: 81)) == 100)
    }

    @Test func `the bucket takes back messages that were not sent`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = bucket.available(at: t0)
        let now = t0.advanced(bySeconds: 1)
        let count = bucket.available(at: now)
        bucket.take(count, at: now)
        bucket.endReading(count)
        bucket.giveBack(200)
        let again = bucket.available(at: now)
        #expect(again == 200)
    }

    @Test func `the bucket returns the same moment however often it is queried`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = bucket.available(at: t0)
        let moment = bucket.nextMoment(at: t0)
        #expect(moment == t0.advanced(byMilliseconds: 100))
        #expect(bucket.nextMoment(at: t0.advanced(byMilliseconds: 40)) == moment)
        #expect(bucket.nextMoment(at: moment) == moment)
        #expect(bucket.nextMoment(at: moment.advanced(bySeconds: 1)) == moment.advanced(bySeconds: 1))
    }

    @Test func `the bucket returns the moment at which it is full enough again`() {
        var bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = bucket.available(at: t0)
        let moment = bucket.nextMoment(at: t0)
        let early = bucket.available(at: moment.advanced(byMilliseconds: -20))
        #expect(early < 100)
        let enough = bucket.available(at: moment)
        #expect(enough >= 100)
    }
}
