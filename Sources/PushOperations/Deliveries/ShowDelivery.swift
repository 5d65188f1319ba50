package import PushModel
internal import PushStore

/// One delivery: its state, counts and rate, and for which accounts its messages wait.
package struct ShowDelivery: ShortOperation {
    package static let name = "delivery.show"

    package var id: DeliveryID
    /// Whether to count messages that were sent again, which reads the delivery's whole log.
    package var countsDuplicates: Bool
    /// Whether to ask what holds it up, which costs more than a look at its counts.
    package var looksForHolds: Bool

    package init(id: DeliveryID, countsDuplicates: Bool = false, looksForHolds: Bool = true) {
        self.id = id
        self.countsDuplicates = countsDuplicates
        self.looksForHolds = looksForHolds
    }

    package func perform(in operations: Operations) throws -> DeliveryDetails {
        let delivery = try operations.requireDelivery(id)
        return DeliveryDetails(
            delivery: DeliveryView(delivery, at: operations.clock.moment()),
            possibleDuplicates: countsDuplicates
                ? try PossibleDuplicates.count(of: id, in: operations.store.deliveries) : nil,
            waitsFor: looksForHolds ? try HeldDelivery(delivery, in: operations).holds : [])
    }
}

/// A delivery and what is found out about it, as one object.
package struct DeliveryDetails: Codable, Equatable, Sendable {
    package var delivery: DeliveryView
    /// nil, and no key, where they were not counted.
    package var possibleDuplicates: Int?
    /// Accounts through which nothing goes now; no key where there is none.
    package var waitsFor: [AccountHold]

    private enum Key: CodingKey { case possibleDuplicates, waitsFor }

    init(delivery: DeliveryView, possibleDuplicates: Int?, waitsFor: [AccountHold]) {
        self.delivery = delivery
        self.possibleDuplicates = possibleDuplicates
        self.waitsFor = waitsFor
    }

    package init(from decoder: any Decoder) throws {
        delivery = try DeliveryView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        possibleDuplicates = try container.decodeIfPresent(Int.self, forKey: .possibleDuplicates)
        waitsFor = try container.decodeIfPresent([AccountHold].self, forKey: .waitsFor) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        try delivery.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        if let possibleDuplicates { try container.encode(possibleDuplicates, forKey: .possibleDuplicates) }
        if !waitsFor.isEmpty { try container.encode(waitsFor, forKey: .waitsFor) }
    }
}
