package import PushConfig
internal import PushModel
package import PushStore
internal import PushSystem

/// Copies the store of one instance to that of another, of whatever engine: see ``PushStore/StoreCopy``.
///
/// Refused are a store that a master serves, on either side, a destination that is in use, a source of an
/// earlier version, and another instance's key at the destination.
package struct CopyStore: Sendable {
    package var from: StoreConfiguration
    package var to: StoreConfiguration

    package init(from: StoreConfiguration, to: StoreConfiguration) {
        self.from = from
        self.to = to
    }

    /// - Throws: where it was begun, the destination is no store, and the next copy starts over.
    package func perform(watchedBy watch: Watch<CopyProgress> = Watch()) throws(OperationError)
        -> CopiedStore
    {
        let start = Clocks.monotonic()
        let copied: CopiedStore?
        do throws(StoreError) {
            copied = try StoreCopy(from: from.place, to: to.place).run { progress in
                watch.report(progress)
                return !watch.isCancelled()
            }
        } catch { throw OperationError(error) }
        guard var copied else { throw OperationError(.cancelled, "cancelled; the next copy starts over") }
        copied.milliseconds = Clocks.monotonic().milliseconds(since: start)
        return copied
    }
}
