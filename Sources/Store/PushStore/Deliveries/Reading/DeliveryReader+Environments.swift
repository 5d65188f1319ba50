package import PushModel

extension DeliveryReader {
    /// Returns the environments of the apps of deliveries, including deleted apps. Deliveries without apps
    /// are not included.
    package func environments(
        of deliveries: [DeliveryID]
    ) throws(StoreError) -> [DeliveryID: Set<PushEnvironment>] {
        guard let first = deliveries.min(), let last = deliveries.max() else { return [:] }
        let wanted = Set(deliveries)
        return try connection.read("list deliveries") { db in
            let rows = try db.rows(
                sql: """
                    SELECT DISTINCT x.delivery_id, a.environment FROM delivery_app x JOIN app a ON a.id = x.app_id
                    WHERE x.delivery_id BETWEEN ?1 AND ?2
                    """, arguments: [first.rawValue, last.rawValue])
            var found: [DeliveryID: Set<PushEnvironment>] = [:]
            for row in rows {
                let delivery = DeliveryID(rawValue: try row["delivery_id"])
                guard wanted.contains(delivery),
                    let environment = PushEnvironment(rawValue: try row["environment"])
                else { continue }
                found[delivery, default: []].insert(environment)
            }
            return found
        }
    }
}
