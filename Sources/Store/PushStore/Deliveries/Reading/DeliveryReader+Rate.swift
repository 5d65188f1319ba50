package import PushModel

extension DeliveryReader {
    /// Returns the messages per second that deliveries to an app reach: the highest rate of the last finished
    /// deliveries that had no rate limit. `nil` if there is none among the store's last deliveries.
    package func recentRate(of app: AppID) throws(StoreError) -> Double? {
        try connection.read("read recent rates") { db in
            let rows = try db.rows(
                sql: """
                    \(DeliverySummary.selection)
                    WHERE state = '\(DeliveryState.finished.rawValue)' AND rate = 0 AND open_until IS NULL
                        AND id > (SELECT max(id) FROM delivery) - \(Self.recentDeliveries)
                        AND id IN (SELECT delivery_id FROM delivery_app WHERE app_id = ?1
                            AND delivery_id > (SELECT max(id) FROM delivery) - \(Self.recentDeliveries))
                    ORDER BY id DESC LIMIT \(Self.comparedRates)
                    """,
                arguments: [app.rawValue])
            // For finished deliveries, the current time makes no difference.
            let now = WallMoment(millisecondsSince1970: 0)
            return try DeliverySummary.all(rows, db).compactMap { delivery in
                delivery.finished == nil ? nil : delivery.messagesPerSecond(at: now)
            }.filter { $0 > 0 }.max()
        }
    }

    /// The number of the store's last deliveries that are searched.
    private static let recentDeliveries = 1_000
    /// The number of rates that are compared, because a single delivery may have waited for a late retry.
    private static let comparedRates = 10
}
