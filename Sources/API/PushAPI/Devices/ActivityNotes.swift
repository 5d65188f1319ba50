internal import PushModel
internal import PushStore
internal import Synchronization

/// Passes clicks that were recorded to the store's times of activity (``ActivityWriter``), after all other
/// work of the writer. No report waits for this.
///
/// **Promises.** One unit is written at a time, and at most ``maxPending`` clicks wait. Further clicks, and
/// those that wait when the process ends, do not count as activity.
final class ActivityNotes: Sendable {
    static let maxPending = 20_000

    private struct Pending {
        var clicks: [MessageID: HitRecord] = [:]
        var isWriting = false

        /// Takes the clicks of the next unit.
        /// - Returns: `nil` if there are none, or if a unit is being written.
        mutating func take() -> [HitRecord]? {
            guard !isWriting, !clicks.isEmpty else { return nil }
            let taken = Array(clicks.values.prefix(ActivityWriter.clicksPerCall))
            for click in taken { clicks[click.message] = nil }
            isWriting = true
            return taken
        }
    }

    private let pending = Mutex(Pending())
    private let writer: WriteService

    init(_ writer: WriteService) { self.writer = writer }

    /// - Parameter hit: A report that is on disk.
    func note(_ hit: HitRecord) {
        guard hit.kind == .clicked else { return }
        let next = pending.withLock { pending in
            if pending.clicks.count < Self.maxPending { pending.clicks[hit.message] = hit }
            return pending.take()
        }
        if let next { write(next) }
    }

    private func write(_ clicks: [HitRecord]) {
        writer.submit(.bulk, rows: clicks.count) { store throws(StoreError) in
            try store.activity.record(clicks)
        } completion: { [self] result in
            let next = pending.withLock { pending in
                pending.isWriting = false
                // After a failure, the next click begins again.
                if case .failure = result { pending.clicks.removeAll() }
                return pending.take()
            }
            if let next { write(next) }
        }
    }
}
