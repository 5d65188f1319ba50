package import PushModel

extension DeliveryReader {
    /// Returns the deliveries that have not ended and were submitted to replace this delivery (`delivery
    /// recall`), or to replace one of its replacements.
    /// - Parameter prefix: The beginning of the labels of such deliveries. It consists of letters and spaces.
    package func replacements(
        of id: DeliveryID, labelled prefix: String
    ) throws(StoreError) -> [DeliveryID] {
        let later = try connection.read("look for replacements", of: id) { db in
            try db.rows(
                sql: """
                    SELECT id, state, target_parameters FROM delivery
                    WHERE id > ?1 AND target = '\(StoredTarget.detailed.rawValue)' AND label LIKE ?2
                    ORDER BY id
                    """,
                arguments: [id.rawValue, prefix + "%"]
            ).map { row in
                (
                    id: try row["id"] as Int64, state: try row["state"] as String,
                    target: try row["target_parameters"] as String?
                )
            }
        }
        var (replaced, live): (Set<Int64>, [DeliveryID]) = ([id.rawValue], [])
        for row in later {
            guard let details = try? TargetDetails.read(row.target), details.chosenBase == .recipients,
                let source = details.source, replaced.contains(source)
            else { continue }
            replaced.insert(row.id)
            // A delivery whose state cannot be read is left out.
            if DeliveryState(rawValue: row.state)?.isFinal == false {
                live.append(DeliveryID(rawValue: row.id))
            }
        }
        return live
    }
}
