internal import PushModel
package import PushStore

/// Makes a consistent copy of the store in one file, beside a master or without one: see
/// ``PushStore/StoreBackup``.
package struct BackUpStore: LongOperation {
    package var file: String
    /// Whether the instance's key lies beside it.
    package var withKey: Bool
    /// Whether an earlier file is replaced.
    package var isForced: Bool

    package init(file: String, withKey: Bool = true, isForced: Bool = false) {
        self.file = file
        self.withKey = withKey
        self.isForced = isForced
    }

    package func perform(in operations: Operations, watchedBy watch: Watch<BackupProgress>) throws
        -> BackupView
    {
        let start = operations.clock.monotonic()
        let backup = operations.store.backup(to: file, withKey: withKey, isForced: isForced)
        let done = try withoutActuallyEscaping(watch.report) { report in
            try withoutActuallyEscaping(watch.isCancelled) { isCancelled in
                try backup.run(at: operations.clock.moment()) { progress in
                    report(progress)
                    return !isCancelled()
                }
            }
        }
        guard let done else { throw OperationError(.cancelled, "cancelled; there is no backup") }
        return BackupView(done, milliseconds: operations.clock.monotonic().milliseconds(since: start))
    }
}

/// What a backup came to.
package struct BackupView: Codable, Equatable, Sendable {
    package var file: String
    /// nil where it was not wanted, or the instance has none yet.
    package var keyFile: String?
    package var bytes: Int
    package var milliseconds: Int64

    init(_ done: BackupResult, milliseconds: Int64) {
        (file, keyFile, bytes) = (done.file, done.keyFile, done.bytes)
        self.milliseconds = milliseconds
    }
}
