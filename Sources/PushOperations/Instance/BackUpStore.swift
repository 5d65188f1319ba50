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
        -> BackupResult
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
        guard var done else { throw OperationError(.cancelled, "cancelled; there is no backup") }
        done.milliseconds = operations.clock.monotonic().milliseconds(since: start)
        return done
    }
}
