package import PushModel

extension DeliveryReader {
    /// Returns, for each delivery, the environments of its apps, including deleted apps. Deliveries without
    /// apps are not included.
    package func environments(
        of deliveries: [DeliveryID]
    ) throws(StoreError) -> [DeliveryID: Set<PushEnvironment>] {
        try ofApps("a.environment", of: deliveries) { PushEnvironment(rawValue: try $0["value"]) }
    }

    /// Returns, for each delivery, its apps, including deleted ones. Deliveries without apps are not
    /// included.
    package func apps(of deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<AppID>] {
        try ofApps("a.id", of: deliveries) { AppID(rawValue: try $0["value"]) }
    }

    /// Returns, for each delivery, the distinct values that its apps have in the given column.
    private func ofApps<Value: Hashable & Sendable>(
        _ column: String, of deliveries: [DeliveryID], _ value: @Sendable (Row) throws -> Value?
    ) throws(StoreError) -> [DeliveryID: Set<Value>] {
        guard let first = deliveries.min(), let last = deliveries.max() else { return [:] }
        let wanted = Set(deliveries)
        return try connection.read("list deliveries") { db in
            let rows = try db.rows(
                sql: """
                    SELECT DISTINCT x.delivery_id, \(column) AS value FROM delivery_app x JOIN app a ON a.id \
                    = x.app_id
                    WHERE x.delivery_id BETWEEN ?1 AND ?2
                    """, arguments: [first.rawValue, last.rawValue])
            var found: [DeliveryID: Set<Value>] = [:]
            for row in rows {
                let delivery = DeliveryID(rawValue: try row["delivery_id"])
                guard wanted.contains(delivery), let value = try value(row) else { continue }
                found[delivery, default: []].insert(value)
            }
            return found
        }
    }
}
