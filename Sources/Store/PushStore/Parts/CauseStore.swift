internal import PushModel
internal import PushQueue

/// The causes of one delivery. They are read within the caller's transaction when a cause is first requested.
struct CauseStore {
    let delivery: DeliveryID
    private let db: any Session
    private var table: CauseTable?

    init(_ delivery: DeliveryID, _ db: any Session) {
        self.delivery = delivery
        self.db = db
    }

    mutating func causes() throws -> CauseTable {
        if let table { return table }
        let loaded = try load()
        table = loaded
        return loaded
    }

    subscript(_ code: CauseCode) -> Cause? {
        mutating get throws { try causes()[code] }
    }

    /// Returns the code of the cause. If the cause has no row yet, inserts one.
    mutating func intern(_ cause: Cause) throws -> CauseCode {
        for _ in 0..<Int(CauseCode.lastInterned.rawValue) {
            var causes = try causes()
            let (code, isNew) = causes.intern(cause)
            guard isNew else { return code }
            let inserted = try db.execute(
                sql: """
                    INSERT INTO cause (delivery_id, code, failure_type, failure_reason, word)
                    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING
                    """,
                arguments: [
                    delivery.rawValue, Int64(code.rawValue), cause.type?.rawValue, cause.reason?.rawValue,
                    cause.word,
                ])
            if inserted == 1 {
                table = causes
                return code
            }
            // Another writer has used the code for another cause.
            table = nil
        }
        throw ChangedMeanwhile()
    }

    private func load() throws -> CauseTable {
        let rows = try db.rows(
            sql:
                """
                SELECT code, failure_type, failure_reason, word FROM cause WHERE delivery_id = ?1 ORDER \
                BY code
                """,
            arguments: [delivery.rawValue]
        ).map { row in
            guard let code = UInt8(exactly: try row["code"] as Int64) else { throw UnreadableValue() }
            let cause = Cause(
                (try row["failure_type"] as Int64?).flatMap(FailureType.init(rawValue:)),
                (try row["failure_reason"] as Int64?).flatMap(FailureReason.init(rawValue:)),
                word: try row["word"])
            return (code: CauseCode(rawValue: code), cause: cause)
        }
        return try CauseTable(rows: rows)
    }
}
