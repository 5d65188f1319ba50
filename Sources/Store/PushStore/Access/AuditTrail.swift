package import PushModel

/// Who changed what, a line each.
package struct AuditLine: Codable, Equatable, Sendable {
    package var number: Int64 = 0
    package var at: WallMoment
    /// A token's name, or whose command it was.
    package var who: String
    /// A use case's name: `token.create`. Versions before 0.7 wrote an API request's method and path for some.
    package var action: String
    /// What it was done to, by name; no secret, no device token.
    package var what: String

    /// What others see.
    private enum CodingKeys: CodingKey { case at, who, action, what }
}

/// Reads them.
package struct AuditReader: Sendable {
    let connection: Connection

    /// The newest first.
    /// - Parameter before: the number that the page before ended with; nil begins.
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

/// Writes them.
package struct AuditWriter: Sendable {
    /// A line is kept for so long.
    package static let keptDays = 400
    /// Old lines that go with each new one, so that there are never many more than so many days make.
    private static let mostRemoved = 10
    package static let longestText = 256

    let connection: Connection

    package func note(
        who: String, action: String, what: String, at now: WallMoment
    ) throws(StoreError) {
        try connection.write("write the audit trail") { db in
            try Self.note(who: who, action: action, what: what, at: now, db)
        }
    }

    /// A text as a line has it.
    package static func text(_ text: String) -> String { text.printable(atMost: longestText) }

    /// Within the transaction of the change itself.
    /// - Returns: the line's number.
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
            arguments: [now.millisecondsSince1970.clampedDifference(kept), mostRemoved])
        return number
    }
}

extension HotSQL {
    /// ?1 the number before which, ?2 how many.
    static let auditPage = """
        SELECT id, at_ms, who, action, what FROM audit WHERE id < ?1 ORDER BY id DESC LIMIT ?2
        """

    /// ?1 the oldest moment that stays, ?2 how many of the first are looked at.
    static let removeOldAudit = """
        DELETE FROM audit WHERE id < (SELECT min(id) FROM audit) + ?2 AND at_ms < ?1
        """
}
