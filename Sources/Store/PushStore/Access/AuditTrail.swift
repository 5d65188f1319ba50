package import PushModel

/// One line of the audit trail: who changed what.
package struct AuditLine: Codable, Equatable, Sendable {
    package var number: Int64 = 0
    package var at: WallMoment
    /// A token's name, or the caller of the command.
    package var who: String
    /// A use case's name, such as `token.create`. Versions before 0.7 wrote an API request's method and path
    /// for some changes.
    package var action: String
    /// The object of the change, by name. Contains no secrets and no device tokens.
    package var what: String

    /// The fields that callers can see.
    private enum CodingKeys: CodingKey { case at, who, action, what }
}

/// Reads the lines of the audit trail.
package struct AuditReader: Sendable {
    let connection: Connection

    /// Returns lines, the newest first.
    /// - Parameter before: The number of the last line on the previous page; `nil` for the first page.
    package func page(before: Int64? = nil, limit: Int = 100) throws(StoreError) -> [AuditLine] {
        try connection.read("read the audit trail") { db in
            try db.rows(sql: HotSQL.auditPage, arguments: [before ?? Int64.max, limit]).map { row in
                AuditLine(
                    number: try row["id"], at: WallMoment(millisecondsSince1970: try row["at_ms"]),
                    who: try row["who"], action: try row["action"], what: try row["what"])
            }
        }
    }
}

/// Writes the lines of the audit trail.
package struct AuditWriter: Sendable {
    /// The number of days for which a line is kept.
    package static let keptDays = 400
    /// The maximum number of old lines that are deleted when a line is added. It is greater than one, so the
    /// trail never contains many more lines than were written in the last ``keptDays`` days.
    private static let maxRemoved = 10
    package static let maxTextLength = 256

    let connection: Connection

    package func note(
        who: String, action: String, what: String, at now: WallMoment
    ) throws(StoreError) {
        try connection.write("write the audit trail") { db in
            try Self.note(who: who, action: action, what: what, at: now, db)
        }
    }

    /// Returns the text in the form that a line of the trail contains: printable and shortened.
    package static func text(_ text: String) -> String { text.printable(atMost: maxTextLength) }

    /// Adds a line within the transaction of the change itself.
    /// - Returns: The line's number.
    @discardableResult
    static func note(
        who: String, action: String, what: String, at now: WallMoment, _ db: any Session
    ) throws -> Int64 {
        let texts = [who, action, what].map { text($0) }
        let number = try db.insert(
            "INSERT INTO audit (at_ms, who, action, what) VALUES (?1, ?2, ?3, ?4)",
            [now.millisecondsSince1970] + texts)
        let kept = Int64(keptDays) * 86_400_000
        try db.run(
            sql: HotSQL.removeOldAudit,
            arguments: [now.millisecondsSince1970.clampedDifference(kept), maxRemoved])
        return number
    }
}

extension HotSQL {
    /// Reads at most ?2 lines whose numbers are less than ?1.
    static let auditPage = """
        SELECT id, at_ms, who, action, what FROM audit WHERE id < ?1 ORDER BY id DESC LIMIT ?2
        """

    /// Deletes lines that are older than the moment ?1. Only the ?2 lowest numbers are examined.
    static let removeOldAudit = """
        DELETE FROM audit WHERE id < (SELECT min(id) FROM audit) + ?2 AND at_ms < ?1
        """
}
