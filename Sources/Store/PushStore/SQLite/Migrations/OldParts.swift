internal import PushModel

/// The parts that an earlier version wrote and that were not taken over, within the caller's transaction.
/// Those that cannot be read are set aside until their delivery is recounted: `open` is -1.
struct OldParts {
    let db: any Session

    /// nil where no such table is left.
    init?(_ db: any Session) throws {
        guard db.dialect == .sqlite,
            try db.value(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'old_part'") == 1
        else { return nil }
        self.db = db
    }

    func count() throws -> Int { try db.value(Int.self, sql: "SELECT count(*) FROM old_part") ?? 0 }

    // MARK: Those to be taken over

    func waiting() throws -> Int {
        try db.value(Int.self, sql: "SELECT count(*) FROM old_part WHERE open >= 0") ?? 0
    }

    /// Whether somebody is to go on with them: some wait, or nothing is left but the table.
    func isUnfinished() throws -> Bool {
        try db.value(
            Bool.self,
            sql: """
                SELECT EXISTS (SELECT 1 FROM old_part WHERE open >= 0) OR NOT EXISTS (SELECT 1 FROM old_part)
                """) ?? false
    }

    func next(after id: Int64) throws -> OldPart? {
        try db.row(sql: "\(Self.selection) WHERE id > ?1 AND open >= 0 ORDER BY id LIMIT 1", arguments: [id])
            .map(OldPart.init)
    }

    func remove(_ part: OldPart) throws {
        try db.execute(
            sql: "DELETE FROM old_message WHERE id BETWEEN ?1 AND ?2 AND delivery_id = ?3",
            arguments: [part.first, part.last, part.delivery.rawValue])
        try db.execute(sql: "DELETE FROM old_part WHERE id = ?1", arguments: [part.id])
    }

    func dropIfEmpty() throws {
        guard try count() == 0 else { return }
        try db.execute(sql: "DROP TABLE old_part")
        try db.execute(sql: "DROP TABLE old_message")
    }

    // MARK: Those that cannot be read

    func setAside(_ part: OldPart, at now: WallMoment) throws {
        try db.execute(sql: "UPDATE old_part SET open = -1 WHERE id = ?1", arguments: [part.id])
        try DeliveryEnd.hold(part.delivery, because: Self.why(part.id), at: now, db)
    }

    func setAside(of delivery: DeliveryID) throws -> [OldPart] {
        try db.rows(
            sql: "\(Self.selection) WHERE delivery_id = ?1 AND open < 0 ORDER BY id LIMIT ?2",
            arguments: [delivery.rawValue, Connection.maximumRows]
        ).map(OldPart.init)
    }

    func isThere(_ part: OldPart) throws -> Bool {
        try db.value(Int.self, sql: "SELECT count(*) FROM old_part WHERE id = ?1", arguments: [part.id]) == 1
    }

    static func why(_ id: Int64) -> String { "part \(id) of an earlier version cannot be read" }

    private static let selection = """
        SELECT id, delivery_id, app_id, first_id, last_id, first_ordinal FROM old_part
        """
}
