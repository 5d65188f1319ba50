package import PushModel
internal import PushStore

/// Floods of bad tokens that answers to a delivery are part of, and that nobody has judged yet.
package struct ShowDeliveryStorms: ShortOperation {
    package static let name = "delivery.storms"

    package var id: DeliveryID

    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> DeliveryStorms {
        let trusts = try operations.store.trust.trusts(with: id)
        return DeliveryStorms(
            storms: trusts.filter { $0.stormSince != nil }.map(\.mark.rawValue),
            mayBegin: trusts.contains { $0.stormSince == nil && $0.evidence.isContradicted })
    }
}

package struct DeliveryStorms: Codable, Equatable, Sendable {
    /// The accounts as ``ShowStorms`` has them.
    package var storms: [String]
    /// Whether so many verdicts wait for the master's judgement that it may call them a storm yet.
    package var mayBegin: Bool
}
