package import PushConfig
internal import PushModel
package import PushStore

/// Replaces an instance's store with a backup: see ``PushStore/StoreRestore``.
package struct RestoreStore: Sendable {
    package var file: String
    package var to: StoreConfiguration
    /// Whether an existing store is moved aside.
    package var isForced: Bool

    package init(file: String, to: StoreConfiguration, isForced: Bool = false) {
        self.file = file
        self.to = to
        self.isForced = isForced
    }

    package func perform(watchedBy watch: Watch<BackupProgress> = Watch()) throws(OperationError)
        -> RestoreResult
    {
        let done: RestoreResult?
        do throws(StoreError) {
            done = try StoreRestore(from: file, to: to.place, isForced: isForced).run { progress in
                watch.report(progress)
                return !watch.isCancelled()
            }
        } catch { throw OperationError(error) }
        guard let done else { throw OperationError(.cancelled, "cancelled; the store was not restored") }
        return done
    }
}
