package import PushModel
internal import PushStore

/// Floods of bad tokens that answers to a delivery are part of, and that nobody has judged yet.
package struct ShowDeliveryStorms: ShortOperation, UseCase {
    package static let name = "delivery.storms"
    package static let operation = Operation(
        .get, "/deliveries/{id}/storms", .read,
        "Storms of refused tokens that answers to a delivery are part of, and that wait for a decision.")
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
        "storms": "the accounts, as the list of storms has them",
        "mayBegin": "whether verdicts wait that may become a storm",
    ]

    package var storms: [String]
    package var mayBegin: Bool
}
