import PushMaster
import PushModel
import PushSystem
import Synchronization

/// A wall clock that the test can set.
final class SettableClock: Sendable {
    private let seconds = Mutex<Int64>(0)
    func set(ahead seconds: Int64) { self.seconds.withLock { $0 = seconds } }
    @Sendable func moment() -> WallMoment {
        let milliseconds = seconds.withLock { $0 * 1_000 }
        return WallMoment(millisecondsSince1970: Clocks.moment().millisecondsSince1970 + milliseconds)
    }
}
