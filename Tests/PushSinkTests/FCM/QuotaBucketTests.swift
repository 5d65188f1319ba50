import Testing
import pushsink

@Suite struct QuotaBucketTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    @Test func `each minute has a fixed number of messages and starts with its first message`() {
        var bucket = QuotaBucket(perMinute: 3)
        #expect(bucket.take(1, at: start) == nil && bucket.take(2, at: start) == nil)
        #expect(bucket.take(1, at: start) == 60)
        #expect(bucket.take(1, at: start + .milliseconds(59_500)) == 1)
        #expect(bucket.take(3, at: start + .seconds(60)) == nil)
        #expect(bucket.take(1, at: start + .seconds(70)) == 50)
    }

    @Test func `refused messages do not count against the quota`() {
        var bucket = QuotaBucket(perMinute: 3)
        #expect(bucket.take(4, at: start) == 60)
        #expect(bucket.take(3, at: start) == nil)
    }

    @Test func `if there is no quota, there is no limit`() {
        var bucket = QuotaBucket(perMinute: 0)
        #expect(bucket.take(1_000_000, at: start) == nil)
    }
}
