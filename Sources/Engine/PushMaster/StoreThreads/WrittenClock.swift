internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem
internal import Synchronization

/// The wall clock as those see it who write: what a commit is dated by, and what ends validities, is compared
/// with the other clock first. Their own ``ClockWatch``: the loop's says so a second too late.
final class WrittenClock: Sendable {
    private struct State {
        var watch = ClockWatch()
        /// Steps back that due times have not followed.
        var stepsBack: [RetryShift] = []
        /// Since somebody asked.
        var hasJumped = false

        mutating func observe(_ moment: WallMoment) {
            let since = watch.trueSince
            guard let jump = watch.observe(wall: moment.time, at: Clocks.monotonic()) else { return }
            hasJumped = true
            guard jump < 0, let since else { return }
            stepsBack.append(RetryShift(stepSeconds: -jump, recordedSince: since, now: moment.time))
        }
    }

    private let wall: @Sendable () -> WallMoment
    private let state: Mutex<State>

    init(_ wall: @escaping @Sendable () -> WallMoment) {
        self.wall = wall
        var state = State()
        state.observe(wall())
        self.state = Mutex(state)
    }

    /// For the write service: due times follow the clock where it was set back.
    var writeClock: WriteClock {
        WriteClock(wall: wall) { moment in
            self.state.withLock { state in
                state.observe(moment)
                return state.stepsBack.isEmpty ? nil : state.stepsBack.removeFirst()
            }
        }
    }

    /// Whether it was set, forwards or back, since this was asked last.
    /// - Parameter moment: what it says now.
    func hasJumped(at moment: WallMoment) -> Bool {
        state.withLock { state in
            state.observe(moment)
            defer { state.hasJumped = false }
            return state.hasJumped
        }
    }
}
