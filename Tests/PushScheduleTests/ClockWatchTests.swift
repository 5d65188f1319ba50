import PushModel
import PushSchedule
import Testing

@Suite struct `The watch on the clock` {
    func wall(_ seconds: Int64) -> WallTime { WallTime(secondsSince1970: 1_000_000 + seconds) }
    func monotonic(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test func `the watch reports nothing while both clocks advance by the same amount`() {
        var watch = ClockWatch()
        for second in Int64(0)..<1_000 {
            let jump = watch.observe(wall: wall(second), at: monotonic(second))
            #expect(jump == nil)
        }
        #expect(watch.mayExpire(at: monotonic(1_000)))
    }

    @Test(arguments: [3_600, -3_600, 31, -31] as [Int64])
    func `the watch reports a step in either direction once, and prevents expiry for ten minutes`(step: Int64)
    {
        var watch = ClockWatch()
        _ = watch.observe(wall: wall(0), at: monotonic(0))
        let jump = watch.observe(wall: wall(1 + step), at: monotonic(1))
        #expect(jump == step)
        let again = watch.observe(wall: wall(2 + step), at: monotonic(2))
        #expect(again == nil)
        #expect(!watch.mayExpire(at: monotonic(600)))
        #expect(watch.mayExpire(at: monotonic(601)))
    }

    @Test func `the watch ignores steps within the tolerance and any slow drift`() {
        var watch = ClockWatch()
        _ = watch.observe(wall: wall(0), at: monotonic(0))
        let small = watch.observe(wall: wall(31), at: monotonic(1))
        #expect(small == nil)
        for minute in Int64(1)...100 {
            let jump = watch.observe(wall: wall(31 + minute * 70), at: monotonic(1 + minute * 60))
            #expect(jump == nil)
        }
    }

    @Test func `the watch returns the current clock's time since which the clock was not set forward`() {
        var watch = ClockWatch()
        #expect(watch.trueSince == nil)
        _ = watch.observe(wall: wall(0), at: monotonic(0))
        _ = watch.observe(wall: wall(50), at: monotonic(50))
        #expect(watch.trueSince == wall(0))
        // From here on, the clock is an hour ahead.
        _ = watch.observe(wall: wall(3_700), at: monotonic(100))
        #expect(watch.trueSince == wall(3_700))
        // The clock is corrected: only moments that were dated by the wrong clock move with it.
        _ = watch.observe(wall: wall(200), at: monotonic(200))
        #expect(watch.trueSince == wall(100))
    }

    @Test func `each step restarts the ten minutes`() {
        var watch = ClockWatch()
        _ = watch.observe(wall: wall(0), at: monotonic(0))
        _ = watch.observe(wall: wall(1_000), at: monotonic(1))
        _ = watch.observe(wall: wall(501), at: monotonic(500))
        #expect(!watch.mayExpire(at: monotonic(1_000)))
        #expect(watch.mayExpire(at: monotonic(1_100)))
    }
}
