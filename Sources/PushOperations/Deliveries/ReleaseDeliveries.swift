package import PushModel
package import PushStore

/// Releases deliveries that are held because a backup was restored: messages that were sent after the backup are sent
/// again.
package struct ReleaseDeliveries: ChangingOperation, UseCase {
    package static let name = "delivery.release"
    package static let operations = [
        Operation(
            .post, "/deliveries/{id}/release", .send,
            "Releases a delivery that is held since a backup was restored."),
        Operation(
            .post, "\(SubmitDelivery.path)/release", .send,
            "Releases all deliveries that are held since a backup was restored."),
    ]
    package static var operation: Operation { operations[0] }
    package static let members: [Member<Self>] = [
        .path(\.id, "id", "The delivery's id.", in: 1...Int.max), .inner(\.ids, "ids"),
    ]
    package var lookAfterwards: String { "delivery list" }
    package var auditText: AuditText? { .of(ids.map { $0.map { "\($0)" }.joined(separator: " ") } ?? "all") }

    /// nil: all that are held so.
    package private(set) var ids: [DeliveryID]?
    private var id: DeliveryID? {
        get { ids?.count == 1 ? ids?.first : nil }
        set { ids = newValue.map { [$0] } }
    }

    package init() {}
    package init(ids: [DeliveryID]?) { self.ids = ids }

    package func perform(in operations: Operations) throws -> ReleasedDeliveries {
        let repair = operations.store.repair
        var released = 0
        if let ids {
            let held = try repair.held()
            for id in ids { try check(id, held.first { $0.delivery == id }, in: operations) }
            for id in ids where try repair.release(id) { released += 1 }
        } else {
            while case let some = try repair.releaseSome(), some > 0 { released += some }
        }
        operations.engine.nudge()
        return ReleasedDeliveries(released: released)
    }

    private func check(_ id: DeliveryID, _ held: DamagedDelivery?, in operations: Operations) throws {
        if held?.isRestored == true { return }
        _ = try operations.requireDelivery(id)
        throw OperationError.refused(
            held == nil
                ? "delivery \(id) is not held; 'status' shows those that are"
                : "delivery \(id) is held as damaged: 'delivery recount \(id)' lets it go on where it can be mended"
        )
    }
}

package struct ReleasedDeliveries: View, Equatable {
    package var released: Int
}
