internal import PushConfig
package import PushModel
internal import PushStore

/// One delivery: its state, counts and rate, and for which accounts its messages wait.
package struct ShowDelivery: ShortOperation, UseCase {
    package static let name = "delivery.show"
    package static let operation = Operation(
        .get, "/deliveries/{id}", .read,
        "One delivery: what was asked for, counts, reasons, and what it waits for.", asksMaster: true)
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .query(
            \.countsDuplicates, "duplicates", "Whether to count messages that may have been sent twice.",
            default: false),
        .inner(\.looksForHolds, "looksForHolds", default: true),
        .inner(\.looksFurther, "looksFurther", default: true),
    ]

    package private(set) var id = DeliveryID(rawValue: 0)
    package private(set) var countsDuplicates = false
    /// Whether to find out what holds it up, which costs more than its counts.
    package private(set) var looksForHolds = true
    /// Whether to include what was asked for, and why messages were not sent.
    package private(set) var looksFurther = true

    package init() {}
    package init(
        id: DeliveryID, countsDuplicates: Bool = false, looksForHolds: Bool = true, looksFurther: Bool = true
    ) {
        self.id = id
        self.looksFurther = looksFurther
        self.countsDuplicates = countsDuplicates
        self.looksForHolds = looksForHolds
    }

    package func perform(in operations: Operations) throws -> DeliveryDetails {
        let delivery = try operations.requireDelivery(id)
        let held = try operations.store.repair.held().first { $0.delivery == id }
        return DeliveryDetails(
            delivery: DeliveryView(
                delivery, of: try operations.store.deliveries.environments(of: [id])[id],
                at: operations.clock.moment(), held: held,
                hits: try operations.store.statistics.hits(of: [id])[id] ?? [:]),
            verifyMode: operations.settings.mta.verifyMode,
            order: looksFurther ? try DeliveryOrderView(of: delivery, in: operations) : nil,
            outcome: looksFurther ? try DeliveryOutcomeView(of: delivery, in: operations) : nil,
            possibleDuplicates: countsDuplicates && delivery.removed == nil
                ? try PossibleDuplicates.count(of: id, in: operations.store.deliveries) : nil,
            waitsFor: looksForHolds ? try HeldDelivery(delivery, in: operations).holds : [],
            releases: looksFurther ? try releases(in: operations) : [])
    }

    private func releases(in operations: Operations) throws -> [DeliveryRelease] {
        try operations.store.held.waiting(of: id, limit: DeliveryRelease.longestList)
            .map { DeliveryRelease(at: $0.due, count: $0.messages) }
    }
}

/// A delivery and what is found out about it, as one object.
package struct DeliveryDetails: View, Equatable {
    package static let about = [
        "verifyMode": "a rehearsal: every message counts as sent, and none is",
        "template": "the template that the content was made of",
        "waitingVerdicts": "verdicts about tokens that wait",
        "releases": "messages that wait for times of their own, the earliest first",
    ]

    package var delivery: DeliveryView
    package var verifyMode: Bool
    /// What was asked for; nil, and no keys, where nobody looked.
    package var order: DeliveryOrderView?
    /// Why messages were not sent; nil, and no keys, where nobody looked.
    package var outcome: DeliveryOutcomeView?
    /// nil, and no key, where they were not counted.
    package var possibleDuplicates: Int?
    /// Accounts through which nothing goes now; no key where there is none.
    package var waitsFor: [AccountHold]
    /// What of it is to go at times of its own, the earliest first; no key where there is none.
    package var releases: [DeliveryRelease]

    private enum Key: CodingKey { case verifyMode, possibleDuplicates, waitsFor, releases, service, failures }

    init(
        delivery: DeliveryView, verifyMode: Bool, order: DeliveryOrderView?, outcome: DeliveryOutcomeView?,
        possibleDuplicates: Int?, waitsFor: [AccountHold], releases: [DeliveryRelease] = []
    ) {
        self.delivery = delivery
        self.verifyMode = verifyMode
        self.order = order
        self.outcome = outcome
        self.possibleDuplicates = possibleDuplicates
        self.waitsFor = waitsFor
        self.releases = releases
    }

    package init(from decoder: any Decoder) throws {
        delivery = try DeliveryView(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        verifyMode = try container.decode(Bool.self, forKey: .verifyMode)
        order = container.contains(.service) ? try DeliveryOrderView(from: decoder) : nil
        outcome = container.contains(.failures) ? try DeliveryOutcomeView(from: decoder) : nil
        possibleDuplicates = try container.decodeIfPresent(Int.self, forKey: .possibleDuplicates)
        waitsFor = try container.decodeIfPresent([AccountHold].self, forKey: .waitsFor) ?? []
        releases = try container.decodeIfPresent([DeliveryRelease].self, forKey: .releases) ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        try delivery.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(verifyMode, forKey: .verifyMode)
        try order?.encode(to: encoder)
        try outcome?.encode(to: encoder)
        if let possibleDuplicates { try container.encode(possibleDuplicates, forKey: .possibleDuplicates) }
        if !waitsFor.isEmpty { try container.encode(waitsFor, forKey: .waitsFor) }
        if !releases.isEmpty { try container.encode(releases, forKey: .releases) }
    }
}
