package import PushModel

/// What a recount found.
package struct RecountResult: Equatable, Sendable {
    /// What the delivery's row said.
    package var before: DeliveryCounts
    /// What its messages say, and its row from now on.
    package var after: DeliveryCounts
    /// Parts whose ranges were found again from their messages.
    package var mendedParts: Int
    /// What is still wrong; nil: nothing, and the delivery goes on.
    package var problem: String?
    package var isRepaired: Bool { problem == nil }
}

extension DeliveryRepair {
    /// Makes a delivery's counters and the ranges of its parts what its messages say, and lets it go on where that is
    /// all that was wrong. A row that cannot be read stays as it is, and its delivery held.
    ///
    /// Reads page by page. Refuses an unknown delivery; and where its messages change all the while, as those of a
    /// delivery that is being sent do, it says so: what is held comes to rest.
    package func recount(_ delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> RecountResult {
        let mended = try mendParts(of: delivery)
        for _ in 0..<Self.mostTries {
            let before = try counts(of: delivery)
            let after = try StoreInspection(reader: reader, writer: writer).recount(delivery)
            let problem = try self.problem(of: delivery)
            guard try write(after, of: delivery, where: before, release: problem == nil, at: now) else { continue }
            return RecountResult(before: before, after: after, mendedParts: mended, problem: problem)
        }
        let what = "delivery \(delivery) changes while it is counted; try again when its answers have come"
        throw StoreError(.limitReached(what: what), path: writer.path)
    }

    private static let mostTries = 5

    private func counts(of delivery: DeliveryID) throws(StoreError) -> DeliveryCounts {
        let counts = try reader.read("recount a delivery", of: delivery) { db in
            try db.row(sql: "SELECT * FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
                .map { try DeliveryCounts(row: $0) }
        }
        guard let counts else { throw StoreError(.unknown(.delivery, name: "\(delivery)"), path: writer.path) }
        return counts
    }

    /// - Returns: false where the row changed since it was read.
    private func write(
        _ counts: DeliveryCounts, of delivery: DeliveryID, where before: DeliveryCounts, release: Bool,
        at now: WallMoment
    ) throws(StoreError) -> Bool {
        try writer.write("recount a delivery", of: delivery) { db in
            let row = try db.row(sql: "SELECT * FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
            guard let row, try DeliveryCounts(row: row) == before else { return false }
            // Its validity begins anew with the first part: what it has ended stays so.
            try db.execute(
                sql: """
                    UPDATE delivery SET targeted = ?2, excluded = ?3, pending = ?4, retrying = ?5, sent = ?6,
                        failed = ?7, cancelled = ?8, expiry_cursor = 0
                    WHERE id = ?1
                    """,
                arguments: [
                    delivery.rawValue, counts.targeted, counts.excluded, counts.pending, counts.retrying, counts.sent,
                    counts.failed, counts.cancelled,
                ])
            guard release else { return true }
            try db.execute(sql: "DELETE FROM damaged_delivery WHERE delivery_id = ?1", arguments: [delivery.rawValue])
            _ = try DeliveryEnd.finishIfDone(delivery, at: now, db)
            return true
        }
    }

    /// What keeps it from being prepared and sent; nil: nothing.
    private func problem(of delivery: DeliveryID) throws(StoreError) -> String? {
        do throws(StoreError) {
            let deliveries = DeliveryReader(connection: reader)
            for app in try deliveries.whole(delivery).order.apps { _ = try deliveries.boundRevision(of: app, in: delivery) }
            let isDamaged = try reader.read("read a delivery", of: delivery) { db in
                if try PreparationPlan.load(delivery, db)?.contradictsItself == true { throw UnreadableValue() }
                return try Self.damagedParts(of: delivery, db).isEmpty == false
            }
            return isDamaged ? "a part of delivery \(delivery) has no messages any more" : nil
        } catch {
            guard error.remedy == .setAside else { throw error }
            return error.description
        }
    }

    // MARK: Parts

    /// - Returns: how many parts had lost their range and have it again.
    private func mendParts(of delivery: DeliveryID) throws(StoreError) -> Int {
        try writer.write("mend parts", of: delivery) { db in
            var mended = 0
            try Self.bindAnew(delivery, db)
            for part in try Self.damagedParts(of: delivery, db) where try Self.mend(part, of: delivery, db) {
                mended += 1
            }
            return mended
        }
    }

    /// What a binding was is not known any more: it becomes what the app is now.
    private static func bindAnew(_ delivery: DeliveryID, _ db: any Session) throws {
        try db.execute(
            sql: """
                INSERT INTO delivery_app (delivery_id, app_id, revision_id)
                SELECT d.id, app.id, app.current_revision
                FROM delivery d
                    JOIN json_each(CASE WHEN json_valid(d.apps) THEN d.apps ELSE '[]' END) AS named
                    JOIN app ON app.id = named.value
                WHERE d.id = ?1 ON CONFLICT DO NOTHING
                """,
            arguments: [delivery.rawValue])
    }

    private static func damagedParts(of delivery: DeliveryID, _ db: any Session) throws -> [Int64] {
        try db.rows(
            sql: "SELECT * FROM part WHERE delivery_id = ?1 ORDER BY id LIMIT ?2",
            arguments: [delivery.rawValue, Connection.maximumRows]
        ).filter { try Part(row: $0) == nil }.map { try $0["id"] }
    }

    /// Parts and messages are numbered in the order of their making, and a part's messages are neighbours: they lie
    /// between those of the parts before and after it.
    private static func mend(_ part: Int64, of delivery: DeliveryID, _ db: any Session) throws -> Bool {
        let below = try db.value(
            Int64.self, sql: "SELECT last_id FROM part WHERE id < ?1 ORDER BY id DESC LIMIT 1", arguments: [part])
        let above = try db.value(
            Int64.self, sql: "SELECT first_id FROM part WHERE id > ?1 ORDER BY id LIMIT 1", arguments: [part])
        let range = try db.row(
            sql: """
                SELECT min(id) AS first, max(id) AS last, count(*) AS count FROM (
                    SELECT id, delivery_id FROM message WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?4)
                WHERE delivery_id = ?3
                """,
            arguments: [below ?? 0, above ?? .max, delivery.rawValue, Connection.maximumRows])
        guard let range, let first = try range["first"] as Int64?, let last = try range["last"] as Int64? else {
            return false
        }
        // Ordinals go on from part to part.
        let ordinal = try db.value(
            Int64.self,
            sql: """
                SELECT first_ordinal + last_id - first_id + 1 FROM part
                WHERE delivery_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1
                """,
            arguments: [delivery.rawValue, part])
        try db.execute(
            sql: "UPDATE part SET first_id = ?1, last_id = ?2, first_ordinal = ?3 WHERE id = ?4",
            arguments: [first, last, ordinal ?? 1, part])
        return true
    }
}
