internal import PushModel
internal import PushQueue

/// Makes a part's row in `part_progress` agree with the part's row in `part` and with its messages, within
/// the caller's transaction. The row in `part_progress` contains everything about a part that can change.
struct PartRepair {
    let db: any Session
    private var table: PartTable { PartTable(db: db) }

    init(db: any Session) { self.db = db }

    /// - Returns: Whether the part was wrong and is correct again. An unreadable part is left as it is.
    func repair(_ id: PartID) throws -> Bool {
        let isAdopted = try adopt(id)
        do {
            _ = try table.part(id)
            return isAdopted
        } catch let damaged as DamagedPart {
            guard damaged.damage.piece == .progress else { return isAdopted }
        }
        let statement = try db.statement(HotSQL.part)
        defer { statement.reset() }
        statement.bind(id.rawValue, at: 1)
        guard try statement.next() else { return isAdopted }
        let (row, count) = (StoredPart.row(statement, from: 5), Int(statement.integer(4)))
        statement.reset()
        let sound = try PartProgress(repairing: row, count: count, notes: try table.notes(of: id)).row
        let repaired = try db.execute(
            sql: """
                UPDATE part_progress SET waiting = ?2, next_due = ?3, is_open = ?4, has_pending = ?5, \
                revision = ?6,
                    held_until = ?7
                WHERE part_id = ?1
                """,
            arguments: [
                id.rawValue, sound.waiting, sound.nextDue, sound.isOpen, sound.hasPending, sound.revision,
                sound.heldUntil,
            ])
        return repaired == 1
    }

    /// Corrects the delivery and the app of a part, which are stored in both rows. The row in `part`, which
    /// never changes, takes precedence if it names a delivery for which the part's numbers are possible, and
    /// an app to which that delivery is sent.
    private func adopt(_ id: PartID) throws -> Bool {
        let row = try db.row(
            sql: """
                SELECT p.delivery_id, p.app_id, p.first_number, p.count FROM part p
                    JOIN part_progress q ON q.part_id = p.id JOIN delivery_app x
                        ON x.delivery_id = p.delivery_id AND x.app_id = p.app_id
                WHERE p.id = ?1 AND (q.delivery_id <> p.delivery_id OR q.app_id <> p.app_id)
                """,
            arguments: [id.rawValue])
        guard let row else { return false }
        let part = Part(
            id: id, delivery: DeliveryID(rawValue: try row[0]), app: AppID(rawValue: try row[1]),
            firstOrdinal: try row[2], count: try row[3])
        guard let part, try table.mayBe(part) else { return false }
        return try db.execute(
            sql: "UPDATE part_progress SET delivery_id = ?2, app_id = ?3 WHERE part_id = ?1",
            arguments: [id.rawValue, part.delivery.rawValue, part.app.rawValue]) == 1
    }
}
