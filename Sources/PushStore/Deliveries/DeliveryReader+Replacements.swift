package import PushModel

extension DeliveryReader {
    /// Deliveries to those to whom this one was sent that took its name with it to take its place
    /// (`delivery recall`), and have not ended.
    package func liveReplacements(of id: DeliveryID) throws(StoreError) -> [DeliveryID] {
        let later = try connection.read("look for replacements", of: id) { db in
            try db.rows(
                sql: """
                    SELECT id, target_parameters FROM delivery
                    WHERE \(DeliveryRow.isLive) AND id > ?1 AND target = '\(StoredTarget.detailed.rawValue)'
                        AND label LIKE ?2
                    ORDER BY id
                    """,
                arguments: [id.rawValue, "recall of \(id.rawValue): %"]
            ).map { (id: try $0["id"] as Int64, target: try $0["target_parameters"] as String?) }
        }
        return later.compactMap { row in
            let details = try? TargetDetails.read(row.target)
            guard details?.base == .recipients, details?.source == id.rawValue else { return nil }
            return DeliveryID(rawValue: row.id)
        }
    }
}
