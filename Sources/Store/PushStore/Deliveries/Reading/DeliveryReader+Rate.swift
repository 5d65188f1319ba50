package import PushModel

extension DeliveryReader {
    /// Messages a second that deliveries to an app get to: the most of the last ones that have finished, of
    /// those that were to go as fast as can be. nil: there is none among the store's last deliveries.
    package func recentRate(of app: AppID) throws(StoreError) -> Double? {
        try connection.read("look at recent rates") { db in
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
            // Of what has finished, the moment makes no difference.
            let now = WallMoment(millisecondsSince1970: 0)
            return try DeliverySummary.all(rows, db).compactMap { delivery in
                delivery.finished == nil ? nil : delivery.messagesPerSecond(at: now)
            }.filter { $0 > 0 }.max()
        }
    }

    /// Among how many of the store's last deliveries it looks.
    private static let recentDeliveries = 1_000
    /// A single one may have waited for a late retry.
    private static let comparedRates = 10
}
