package import PushModel
package import PushStore

/// Corrects a delivery's counters and parts according to its messages. If the delivery is on hold because of
/// damage, resumes it.
package struct RecountDelivery: ShortOperation, UseCase, Audited {
    package static let name = "delivery.recount"
    package static let operation = Operation(
        .post, "/deliveries/{id}/recount", .send, "Recalculates a delivery's counters from its messages.",
        .lengthy)
    package static let members: [Member<Self>] = [.delivery(\.id)]
    package var auditText: AuditText? { .of("\(id)") }

    package var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> RecountView {
        let result = try operations.store.repair.recount(id, at: operations.clock.moment())
        let repairedHits = try operations.store.hitReader.parts(of: id).map {
            try operations.store.hits.recount(id, parts: $0)
        }
        if result.isReopened { operations.engine.reopened(id) } else { operations.engine.wakeUp() }
        var view = RecountView(
            id: id, result, state: try operations.requireDelivery(id).state, repairedHits: repairedHits ?? 0,
            hits: try operations.store.statistics.hits(of: [id])[id] ?? [:])
        if let held = try operations.store.repair.hold(of: id), held.isRestored, view.problem == nil {
            view.problem = "\(held.why); release the delivery to let it continue"
        }
        return view
    }
}

/// The result of a recount.
package struct RecountView: View, Equatable {
    package var id: DeliveryID
    /// The number of parts whose messages were found again.
    package var repairedParts: Int
    /// The number of corrected counts of device reports.
    package var repairedHits: Int
    /// The remaining fault that keeps the delivery on hold; `nil` if there is none.
    package var problem: String?
    package var state: DeliveryState
    package var before: DeliveryView.Counts
    package var after: DeliveryView.Counts

    init(
        id: DeliveryID, _ result: RecountResult, state: DeliveryState, repairedHits: Int, hits: [HitKind: Int]
    ) {
        self.id = id
        self.state = state
        repairedParts = result.repairedParts
        self.repairedHits = repairedHits
        problem = result.problem
        before = DeliveryView.Counts(result.before, hits: hits)
        after = DeliveryView.Counts(result.after, hits: hits)
    }
}

/// A delivery that is on hold because some of its rows cannot be written or read.
package struct DamagedDeliveryView: View, Equatable {
    package var delivery: DeliveryID
    package var why: String
    package var since: WallTime
    /// Whether the delivery is undamaged but waits for its release because a backup was restored.
    package var restored: Bool

    init(_ damaged: DamagedDelivery) {
        delivery = damaged.delivery
        why = damaged.why
        since = damaged.since.time
        restored = damaged.isRestored
    }
}
