internal import PushModel
internal import PushSchedule
internal import PushStore
internal import Synchronization

/// The wall clock as the write service sees it: what a commit is dated by is compared with the other clock first, and due
/// times follow it where it was set back. Its own ``ClockWatch``: the loop's says so a second too late.
final class WrittenClock: Sendable {
    private let wall: @Sendable () -> WallMoment
    private let watch: Mutex<ClockWatch>

    init(_ wall: @escaping @Sendable () -> WallMoment) {
        self.wall = wall
        var watch = ClockWatch()
        _ = watch.observe(wall: wall().time, at: Clocks.monotonic())
        self.watch = Mutex(watch)
    }

    var writeClock: WriteClock { WriteClock(wall: wall) { self.setBack(at: $0) } }

    private func setBack(at moment: WallMoment) -> RetryShift? {
        watch.withLock { watch in
            let since = watch.trueSince
            guard let jump = watch.observe(wall: moment.time, at: Clocks.monotonic()), jump < 0, let since else { return nil }
            return RetryShift(stepSeconds: -jump, recordedSince: since, now: moment.time)
        }
    }
}
