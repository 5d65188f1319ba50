internal import Glibc
internal import PushModel

/// Makes bulk writes give way to a running master. The store has one writer at a time, and the master must
/// not have to wait until a million rows are written before it can record outcomes.
struct BulkWriteThrottle {
    private let operations: Operations
    private var asked: MonotonicTime?
    private var isMasterThere = false

    /// Longer than the intervals for which SQLite sleeps while it waits for the lock, so that the master can
    /// get the lock.
    private static let pauseMicroseconds: UInt32 = 20_000

    init(_ operations: Operations) { self.operations = operations }

    /// Pauses if a master is running. The caller must call this between transactions.
    mutating func pause() {
        let now = operations.clock.monotonic()
        if asked.map({ now.milliseconds(since: $0) >= 1_000 }) ?? true {
            isMasterThere = operations.engine.isRunning
            asked = now
        }
        if isMasterThere { usleep(Self.pauseMicroseconds) }
    }
}
