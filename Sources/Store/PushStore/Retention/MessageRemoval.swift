internal import PushModel
internal import PushSystem

/// Removes the messages of deliveries that ended long ago, one step in each transaction of the caller: parts,
/// notes of their messages, variables of their recipients, device reports about them, contents of single
/// messages, the target's lists, and revisions of apps that are no longer needed.
///
/// The record of the delivery stays: its row, its content, and its tally with the causes that the tally
/// names. From the first step on, the delivery's messages count as removed (`removed_ms`), so that readers
/// know that the messages are gone. None of its messages is sent again while the rest is removed. The next
/// caller continues an interrupted removal.
struct MessageRemoval {
    let db: any Session
    let rules: RetentionRules
    let now: WallMoment

    /// Small deliveries share a step; large ones take many.
    private static let rowsPerStep = 1_000
    private static let partsPerPage = 50
    private static let maxMilliseconds: Int64 = 20

    private var rows = 0
    private(set) var sums = RetentionSums()

    init(_ db: any Session, _ rules: RetentionRules, at now: WallMoment) {
        self.db = db
        self.rules = rules
        self.now = now
    }

    /// - Returns: Whether there may be more work to do now.
    mutating func run() throws -> Bool {
        let end = Clocks.monotonic().advanced(byMilliseconds: Self.maxMilliseconds)
        repeat {
            guard let delivery = try begun() ?? begin() else { return false }
            try step(delivery)
        } while rows < Self.rowsPerStep && Clocks.monotonic() < end
        return true
    }

    private func begun() throws -> Int64? { try db.value(Int64.self, sql: HotSQL.nextToRemove) }

    private mutating func begin() throws -> Int64? {
        guard let next = try EndedDeliveries(db: db, rules: rules).next(), next.end <= now else { return nil }
        rows += try db.execute(
            sql: "UPDATE delivery SET removed_ms = ?2, is_removing = 1 WHERE id = ?1 AND removed_ms IS NULL",
            arguments: [next.delivery.rawValue, now.millisecondsSince1970])
        return next.delivery.rawValue
    }

    /// Removes a page of the delivery's parts or, if the delivery has no parts left, everything else.
    private mutating func step(_ delivery: Int64) throws {
        let parts = try db.rows(
            sql: HotSQL.partsToRemove, arguments: [delivery, Self.partsPerPage, Int64.min])
        guard !parts.isEmpty else {
            guard try removeHits(of: delivery) else { return }
            return try finish(delivery)
        }
        for part in parts {
            let id: Int64 = try part["id"]
            guard try removeNotes(of: id) else { return }
            rows += try db.execute(sql: "DELETE FROM part_variables WHERE part_id = ?1", arguments: [id])
            try db.run(sql: "DELETE FROM part_progress WHERE part_id = ?1", arguments: [id])
            try db.run(sql: "DELETE FROM part WHERE id = ?1", arguments: [id])
            rows += 2
            sums.messages += max(Int(truncatingIfNeeded: try part["count"] as Int64), 0)
        }
    }

    /// - Returns: Whether no notes are left.
    private mutating func removeNotes(of part: Int64) throws -> Bool {
        let room = Self.rowsPerStep - rows
        guard room > 0 else { return false }
        let indices = try db.values(Int64.self, sql: HotSQL.notesToRemove, arguments: [part, room + 1])
        guard let last = indices.prefix(room).last else { return true }
        rows += try db.execute(
            sql: "DELETE FROM part_note WHERE part_id = ?1 AND message_index <= ?2", arguments: [part, last])
        return indices.count <= room
    }

    /// Removes the device reports. Their tally stays.
    /// - Returns: Whether none are left.
    private mutating func removeHits(of delivery: Int64) throws -> Bool {
        let room = Self.rowsPerStep - rows
        guard room > 0 else { return false }
        let numbers = try db.values(Int64.self, sql: HotSQL.hitsToRemove, arguments: [delivery, room + 1])
        guard let last = numbers.prefix(room).last else { return true }
        rows += try db.execute(
            sql: "DELETE FROM hit WHERE delivery_id = ?1 AND number <= ?2", arguments: [delivery, last])
        return numbers.count <= room
    }

    /// Removes the contents of single messages.
    /// - Returns: Whether none are left.
    private mutating func removeContents(of delivery: Int64) throws -> Bool {
        let room = max(Self.rowsPerStep - rows, 1)
        let removed = try db.execute(
            sql: """
                DELETE FROM message_content WHERE id IN (
                    SELECT id FROM message_content WHERE delivery_id = ?1 LIMIT ?2)
                """,
            arguments: [delivery, room])
        rows += removed
        return removed < room
    }

    private mutating func finish(_ delivery: Int64) throws {
        guard try removeContents(of: delivery) else { return }
        var revisions = try db.values(
            Int64.self, sql: "DELETE FROM delivery_app WHERE delivery_id = ?1 RETURNING revision_id",
            arguments: [delivery])
        revisions += try db.values(
            Int64.self, sql: "DELETE FROM message_revision WHERE delivery_id = ?1 RETURNING bound_id",
            arguments: [delivery])
        rows += 2 * revisions.count
        try AppRevision.deleteUnused(Set(revisions.map(AppRevisionID.init(rawValue:))), db)
        for sql in [
            "DELETE FROM delivery_target WHERE delivery_id = ?1",
            "DELETE FROM damaged_delivery WHERE delivery_id = ?1",
            "DELETE FROM part_progress WHERE is_open = 1 AND delivery_id = ?1 AND \(Self.isAlone)",
            "UPDATE delivery SET is_removing = 0 WHERE id = ?1",
        ] { rows += try db.execute(sql: sql, arguments: [delivery]) }
        sums.deliveries += 1
    }

    /// A condition for rows of a damaged part that no longer has a row in the table `part`.
    private static let isAlone = "NOT EXISTS (SELECT 1 FROM part WHERE id = part_id)"
}
