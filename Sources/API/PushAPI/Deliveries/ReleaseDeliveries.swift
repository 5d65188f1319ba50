package import PushModel
package import PushStore

/// Messages of a delivery that are released at the same time: those of a wave, or those that wait for a time
/// of day.
package struct DeliveryRelease: View, Equatable {
    package var at: WallTime
    package var count: Int

    /// The maximum length of a list of releases. Only the beginning of a longer list is shown.
    static let longestList = 100

    package init(at: WallTime, count: Int) {
        self.at = at
        self.count = count
    }
}

/// Releases deliveries that are on hold because a backup was restored. Messages that were sent after the
/// backup was made are sent again.
package struct ReleaseDeliveries: ChangingOperation, UseCase {
    package static let name = "delivery.release"
    package static let operations = [
        Operation(
            .post, "/deliveries/{id}/release", .send,
            "Releases a delivery that was put on hold when a backup was restored."),
        Operation(
            .post, "\(SubmitDelivery.path)/release", .send,
            "Releases all deliveries that were put on hold when a backup was restored.", verb: "releaseAll",
            reach: .instance),
    ]
    package static var operation: Operation { operations[0] }
    package static let members: [Member<Self>] = [
        .path(\.id, "id", "The delivery's id.", in: 1...Int.max), .inner(\.ids, "ids"),
    ]
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .of(ids.map { $0.map { "\($0)" }.joined(separator: " ") } ?? "all") }

    /// `nil` means all deliveries that are on hold for this reason.
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
            for id in ids { try check(id, try repair.hold(of: id), in: operations) }
            for id in ids where try repair.release(id) { released += 1 }
        } else {
            while case let some = try repair.releaseSome(), some > 0 { released += some }
        }
        operations.engine.wakeUp()
        return ReleasedDeliveries(released: released)
    }

    private func check(_ id: DeliveryID, _ held: DamagedDelivery?, in operations: Operations) throws {
        if held?.isRestored == true { return }
        _ = try operations.requireDelivery(id)
        throw OperationError.refused(
            held == nil
                ? "delivery \(id) is not held; \(see: ShowStatus.self) shows the held deliveries"
                : """
                delivery \(id) is held because it is damaged; \(see: RecountDelivery.self) lets it \
                continue if its counters can be corrected
                """
        )
    }
}

package struct ReleasedDeliveries: View, Equatable {
    package var released: Int
}

/// Shows the floods of rejected tokens that include answers to a delivery's messages and that no operator has
/// judged yet.
package struct ShowDeliveryStorms: ShortOperation, UseCase {
    package static let name = "delivery.storms"
    package static let operation = Operation(
        .get, "/deliveries/{id}/storms", .read,
        "Lists the storms of rejected tokens that include a delivery's results and await a decision.")
    package static let members: [Member<Self>] = [.delivery(\.id)]

    private var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> DeliveryStorms {
        _ = try operations.requireDelivery(id)
        let trusts = try operations.store.trust.trusts(with: id)
        return DeliveryStorms(
            storms: trusts.filter { $0.stormSince != nil }.map(\.mark.rawValue),
            mayBegin: trusts.contains { $0.stormSince == nil && $0.evidence.isContradicted })
    }
}

package struct DeliveryStorms: View, Equatable {
    package static let about = [
        "storms": "the accounts that have such a storm, as in the list of storms",
        "mayBegin": "whether waiting verdicts exist that may become a storm",
    ]

    package var storms: [String]
    package var mayBegin: Bool
}
