internal import Glibc
internal import PushMaster
internal import PushModel

/// Bulk writes step aside for a master: one writer at a time holds the store, and outcomes must not wait behind a
/// million rows.
struct Courtesy {
    private let storePath: String
    private var asked: MonotonicTime?
    private var isMasterThere = false

    /// Longer than the naps that SQLite takes while it waits for the lock, so that the master gets its turn.
    private static let pauseMicroseconds: UInt32 = 20_000

    init(storePath: String) { self.storePath = storePath }

    /// To be called between transactions.
    mutating func pause() {
        let now = Clocks.monotonic()
        if asked.map({ now.milliseconds(since: $0) >= 1_000 }) ?? true {
            // Where that cannot be told, politeness costs little.
            isMasterThere = (try? InstanceLock.isHeld(besideStore: storePath)) ?? true
            asked = now
        }
        if isMasterThere { usleep(Self.pauseMicroseconds) }
    }
}
