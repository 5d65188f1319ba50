internal import Glibc
internal import PushModel

/// Bulk writes step aside for a master: one writer at a time holds the store, and outcomes must not wait
/// behind a million rows.
struct BulkWriteThrottle {
    private let operations: Operations
    private var asked: MonotonicTime?
    private var isMasterThere = false

    /// Longer than the naps that SQLite takes while it waits for the lock, so that the master gets its turn.
    private static let pauseMicroseconds: UInt32 = 20_000

    init(_ operations: Operations) { self.operations = operations }

    /// To be called between transactions.
    mutating func pause() {
        let now = operations.clock.monotonic()
        if asked.map({ now.milliseconds(since: $0) >= 1_000 }) ?? true {
            isMasterThere = operations.engine.isRunning
            asked = now
        }
        if isMasterThere { usleep(Self.pauseMicroseconds) }
    }
}
