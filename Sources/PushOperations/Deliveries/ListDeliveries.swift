package import PushModel
internal import PushStore

/// Deliveries, the newest first.
package struct ListDeliveries: ShortOperation {
    package static let name = "delivery.list"
    package static let limits = 1...5_000

    /// At most so many, within ``limits``.
    package var limit: Int
    /// Those that came before this one: the last id of the list before.
    package var before: DeliveryID?

    package init(limit: Int = 100, before: DeliveryID? = nil) {
        self.limit = limit
        self.before = before
    }

    package func perform(in operations: Operations) throws -> [DeliveryView] {
        let now = operations.clock.moment()
        let held = Dictionary(
            try operations.store.repair.held().map { ($0.delivery, $0) },
            uniquingKeysWith: { first, _ in first })
        let deliveries = try operations.store.deliveries.list(before: before, limit: limit)
        let hits = try operations.store.statistics.hits(of: deliveries.map(\.id))
        let environments = try operations.store.deliveries.environments(of: deliveries.map(\.id))
        return deliveries.map { delivery in
            DeliveryView(
                delivery, of: environments[delivery.id], at: now, held: held[delivery.id],
                hits: hits[delivery.id] ?? [:])
        }
    }
}
