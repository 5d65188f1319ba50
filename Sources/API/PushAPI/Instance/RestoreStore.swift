package import PushConfig
internal import PushModel
package import PushStore
internal import PushSystem

/// Replaces an instance's store with a backup: see ``PushStore/StoreRestore``.
package struct RestoreStore: Audited {
    package static let name = "store.restore"
    package var auditText: AuditText? { .of(file) }

    package var file: String
    package var to: StoreConfiguration
    /// Whether an existing store is moved aside.
    package var isForced: Bool
    /// The caller's name for the restored store's audit trail.
    package var caller: String

    package init(file: String, to: StoreConfiguration, isForced: Bool = false, caller: String) {
        self.file = file
        self.to = to
        self.isForced = isForced
        self.caller = caller
    }

    package func perform(watchedBy watch: Watch<BackupProgress> = Watch()) throws(OperationError)
        -> RestoreResult
    {
        let note = auditText.map { AuditNote(who: caller, action: Self.name, $0, at: Clocks.moment()) }
        let done: RestoreResult?
        do throws(StoreError) {
            let restore = StoreRestore(from: file, to: to.place, isForced: isForced, noting: note)
            done = try restore.run { progress in
                watch.report(progress)
                return !watch.isCancelled()
            }
        } catch { throw OperationError(error) }
        guard let done else { throw OperationError(.cancelled, "cancelled; the store was not restored") }
        return done
    }
}
