internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem
internal import Synchronization

/// The wall clock for writers. The moments of this clock date commits and end validities, so each moment is
/// first compared with the monotonic clock. The wall clock has its own ``ClockWatch``, because the loop's
/// watch reports a jump up to a second too late.
final class WrittenClock: Sendable {
    private struct State {
        var watch = ClockWatch()
        /// Backward steps of the clock for which due times have not been adjusted yet.
        var stepsBack: [RetryShift] = []
        /// Whether the clock has jumped since the last query.
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

    /// The clock for the write service. If the clock was set back, due times are adjusted to it.
    var writeClock: WriteClock {
        WriteClock(wall: wall) { moment in
            self.state.withLock { state in
                state.observe(moment)
                return state.stepsBack.isEmpty ? nil : state.stepsBack.removeFirst()
            }
        }
    }

    /// Reports whether the clock was set, forwards or back, since the last query.
    /// - Parameter moment: The present time of the clock.
    func hasJumped(at moment: WallMoment) -> Bool {
        state.withLock { state in
            state.observe(moment)
            defer { state.hasJumped = false }
            return state.hasJumped
        }
    }
}
