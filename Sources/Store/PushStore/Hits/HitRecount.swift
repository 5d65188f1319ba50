package import PushModel

/// Makes the tally of hits agree with the rows of the hits.
extension HitWriter {
    private static let rowsPerPage: Int64 = 4_000

    /// Counts the rows page by page, and writes the result if no first report about the delivery's messages
    /// arrived in the meantime. If first reports arrive during each of several attempts, the call throws an
    /// error that states this. Refuses a delivery whose messages were removed, because only the tally is
    /// left.
    /// - Returns: The number of wrong figures.
    package func recount(_ delivery: DeliveryID, parts: HitParts) throws(StoreError) -> Int {
        for _ in 0..<Self.maxTries {
            let before = try figures(of: delivery)
            let counted = try count(delivery, parts)
            let end = try connection.write("recount hits", of: delivery) { db -> Int? in
                guard try HitFigures.read(of: delivery, db) == before else { return nil }
                let wrong = Set(before.counts.keys).union(counted.counts.keys)
                    .count { before.counts[$0] != counted.counts[$0] }
                guard wrong > 0 else { return 0 }
                try db.execute(
                    sql: "DELETE FROM hit_tally WHERE delivery_id = ?1", arguments: [delivery.rawValue])
                try counted.write(db)
                return wrong
            }
            if let end { return end }
        }
        let what = "hits of delivery \(delivery) arrive while they are being counted; try again later"
        throw StoreError(.limitReached(what: what), path: connection.path)
    }

    private static let maxTries = 5

    private func figures(of delivery: DeliveryID) throws(StoreError) -> HitFigures {
        try connection.read("recount hits", of: delivery) { db in
            let row = try db.row(
                sql: "SELECT removed_ms FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
            guard let row else {
                throw StoreError(.unknown(.delivery, name: "\(delivery)"), path: connection.path)
            }
            if let removed = try row["removed_ms"] as Int64? {
                let day = WallMoment(millisecondsSince1970: removed).dayText
                throw StoreError(.messagesRemoved(delivery, on: day), path: connection.path)
            }
            return try HitFigures.read(of: delivery, db)
        }
    }

    private func count(_ delivery: DeliveryID, _ parts: HitParts) throws(StoreError) -> HitFigures {
        var figures = HitFigures()
        var last: Int64 = 0
        while true {
            let start = last
            let page = try connection.read("recount hits", of: delivery) { db in
                try db.rows(
                    sql: """
                        SELECT number, received_ms, clicked_ms, receipts, clicks FROM hit
                        WHERE delivery_id = ?1 AND number > ?2
                        ORDER BY number LIMIT ?3
                        """, arguments: [delivery.rawValue, start, Self.rowsPerPage]
                ).map {
                    (
                        number: try $0[0] as Int64, received: try $0[1] as Int64,
                        clicked: try $0[2] as Int64?, receipts: try $0[3] as Int64,
                        clicks: try $0[4] as Int64
                    )
                }
            }
            for row in page {
                // A row that belongs to no part is not counted, because its app is unknown.
                guard let app = parts.part(ofNumber: row.number)?.app else { continue }
                figures.add(app, delivery, .received, minuteOf: row.received)
                if let clicked = row.clicked { figures.add(app, delivery, .clicked, minuteOf: clicked) }
                figures.addRepeated(app, delivery, receipts: (0, row.receipts), clicks: (0, row.clicks))
            }
            guard let end = page.last, page.count == Int(Self.rowsPerPage) else { return figures }
            last = end.number
        }
    }
}
