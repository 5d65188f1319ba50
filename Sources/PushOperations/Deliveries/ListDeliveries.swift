package import PushModel
internal import PushStore

/// Deliveries, the newest first.
package struct ListDeliveries: ShortOperation, UseCase {
    package static let name = "delivery.list"
    package static let limits = 1...5_000
    package static let operation = Operation(
        .get, SubmitDelivery.path, .read, "Deliveries, the newest first.")
    package static let members: [Member<Self>] = [
        .query(\.limit, "limit", "The maximum number of deliveries.", in: limits, default: 100),
        .cursor(\.cursor),
    ]

    private var limit = 100
    /// The last id of the page before.
    private var before: DeliveryID?
    private var cursor: Int64? {
        get { before?.rawValue }
        set { before = newValue.map(DeliveryID.init(rawValue:)) }
    }

    package init() {}

    package init(limit: Int = 100, before: DeliveryID? = nil) {
        self.limit = limit
        self.before = before
    }

    package func perform(in operations: Operations) throws -> Page<DeliveryView> {
        let now = operations.clock.moment()
        let held = Dictionary(
            try operations.store.repair.held().map { ($0.delivery, $0) },
            uniquingKeysWith: { first, _ in first })
        let deliveries = try operations.store.deliveries.list(before: before, limit: limit)
        let hits = try operations.store.statistics.hits(of: deliveries.map(\.id))
        let environments = try operations.store.deliveries.environments(of: deliveries.map(\.id))
        let items = deliveries.map { delivery in
            DeliveryView(
                delivery, of: environments[delivery.id], at: now, held: held[delivery.id],
                hits: hits[delivery.id] ?? [:])
        }
        return Page(items, next: items.count == limit ? items.last?.id.rawValue : nil)
    }
}
