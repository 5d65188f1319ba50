internal import Glibc

/// The right to make a store, or to make one of an earlier version one of this: one process at a time has it,
/// and whoever opens the store meanwhile waits until it is done, or goes on with it where that process has
/// died.
struct MigrationTurn {
    private let turn: any StoreClaim
    /// Until the tables are of this version, so that no master of the earlier one begins beside it.
    private var serving: (any StoreClaim)?

    mutating func tablesAreDone() { serving = nil }

    private static let pollMicroseconds: UInt32 = 50_000
    /// Looks in vain until whoever waits is told why: others take a look too.
    private static let looksInSilence = 5

    /// A store that an earlier version made is changed for ever, and its master would not know it any more:
    /// while one serves it, it is left as it is.
    /// - Returns: nil: there is nothing to be done.
    static func wait(
        for path: String, busyTimeout: Double, _ migrating: (MigrationProgress) -> Void
    ) throws(StoreError) -> MigrationTurn? {
        var patience = busyTimeout
        var looks = 0
        while true {
            guard try isUnfinished(look(at: path, busyTimeout: busyTimeout)),
                let identity = FileIdentity.look(at: path).identity
            else { return nil }
            let file = WatchedFile(.store, path: path, identity: identity)
            guard let turn = try FileClaim.take(file, for: .migrating) else {
                looks += 1
                if looks == looksInSilence {
                    var progress = MigrationProgress()
                    progress.isAnothers = true
                    migrating(progress)
                }
                usleep(pollMicroseconds)
                continue
            }
            // Whoever had it before may have done it.
            switch try look(at: path, busyTimeout: busyTimeout) {
            case .store, .unfinishedCopy: return nil
            case .nothing, .betweenVersions: return MigrationTurn(turn: turn, serving: nil)
            case .olderStore: break
            }
            if let serving = try FileClaim.take(file) { return MigrationTurn(turn: turn, serving: serving) }
            guard patience > 0 else {
                let why = "a master of an earlier version serves it: stop that one, and start this version's"
                throw StoreError(.cannotOpen(why: why), path: path)
            }
            patience -= Double(pollMicroseconds) / 1_000_000
            withExtendedLifetime(turn) {}
            usleep(pollMicroseconds)
        }
    }

    private static func isUnfinished(_ content: SQLiteConnection.Content) -> Bool {
        switch content {
        case .nothing, .olderStore, .betweenVersions: true
        case .store, .unfinishedCopy: false
        }
    }

    private static func look(at path: String, busyTimeout: Double) throws(StoreError)
        -> SQLiteConnection.Content
    {
        try SQLiteConnection.reading(path: path, busyTimeout: busyTimeout, atOnce: 1).inspect()
    }
}
