package import PushConfig
internal import PushModel
package import PushStore
internal import PushSystem

/// Copies the store of one instance to the store of another instance. The two stores can use different
/// database engines: see ``PushStore/StoreCopy``.
///
/// The copy is refused if a master serves either store, if the destination is in use, if the source is of an
/// earlier version, or if the destination has the key of another instance.
package struct CopyStore: Sendable {
    package var from: StoreConfiguration
    package var to: StoreConfiguration

    package init(from: StoreConfiguration, to: StoreConfiguration) {
        self.from = from
        self.to = to
    }

    /// - Throws: The reason why the copy failed. If copying had begun, the destination is not a store, and
    ///   the next copy starts from the beginning.
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
        guard var copied else {
            throw OperationError(.cancelled, "cancelled; the next copy starts from the beginning")
        }
        copied.milliseconds = Clocks.monotonic().milliseconds(since: start)
        return copied
    }
}
