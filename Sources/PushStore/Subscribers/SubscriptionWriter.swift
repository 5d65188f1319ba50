internal import PushModel

/// Writes subscriptions one by one within the caller's transaction. Where a call is a registration of its token, one
/// that was known is valid again, whatever was held against it; elsewhere that stays.
struct SubscriptionWriter {
    private(set) var counts = ImportCounts()

    private let db: any Session
    private let app: AppID
    private let now: WallTime
    private let registers: Bool
    private let insertion: any Statement
    private let confirmation: any Statement
    /// nil: nothing is held against any subscription of the app.
    private let lift: QuarantineLift?

    init(_ db: any Session, _ app: AppID, at now: WallTime, registers: Bool) throws {
        self.db = db
        self.app = app
        self.now = now
        self.registers = registers
        lift = try registers && QuarantineLift.isNeeded(in: SubscriptionRange(app), db) ? QuarantineLift(db) : nil
        confirmation = try db.statement(registers ? HotSQL.confirm : HotSQL.compare)
        confirmation.bind(app.rawValue, at: 1)
        if registers { confirmation.bind(now.secondsSince1970, at: 3) }
        insertion = try db.statement(
            """
            INSERT INTO subscription (id, app_id, token, user_key, parameters, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (app_id, token) DO NOTHING
            """)
        insertion.bind(app.rawValue, at: 2)
        insertion.bind(now.secondsSince1970, at: 6)
    }

    /// The hot path: a record whose token was unknown a moment ago, and whose hint is written already.
    mutating func insert(_ record: SubscriberRecord, id: Int64) throws {
        insertion.bind(id, at: 1)
        insertion.bind(token: record.token, at: 3)
        insertion.bind(record.userKey, at: 4)
        insertion.bind(record.parametersJSON, at: 5)
        if try insertion.change() == 1 {
            counts.inserted += 1
        } else {
            // Another process has registered this token since.
            try replace(record)
        }
    }

    /// A record that says what the store said of its token a moment ago.
    mutating func confirm(_ record: SubscriberRecord) throws {
        confirmation.bind(token: record.token, at: 2)
        confirmation.bind(record.userKey, at: 4)
        confirmation.bind(record.parametersJSON, at: 5)
        // Another process may have changed it since, or deleted it.
        guard registers else {
            guard try confirmation.next() else { return try replace(record) }
            counts.unchanged += 1
            if confirmation.integer(0) != 0 { counts.excluded += 1 }
            return confirmation.reset()
        }
        guard try confirmation.change() == 1 else { return try replace(record) }
        counts.unchanged += 1
        guard let lift else { return }
        let finding = try db.statement(HotSQL.findByToken)
        finding.bind(app.rawValue, at: 1)
        finding.bind(token: record.token, at: 2)
        let id = try finding.next() ? finding.integer(0) : nil
        finding.reset()
        if let id { try lift.forget(id) }
    }

    /// Whatever the store knows of this token becomes what the record says, hint included.
    mutating func replace(_ record: SubscriberRecord) throws {
        let token = StoredToken.value(of: record.token)
        let present = try db.row(sql: HotSQL.findByToken, arguments: [app.rawValue, token])
        guard let present else { return try register(record) }
        let id: Int64 = try present["id"]
        let oldKey: String = try present["user_key"]
        let oldParameters: String? = try present["parameters"]
        try db.execute(
            sql: """
                UPDATE subscription SET user_key = ?2, parameters = coalesce(?3, parameters),
                    updated_at = CASE ?5 WHEN 1 THEN ?4 ELSE updated_at END,
                    disabled = CASE ?5 WHEN 1 THEN 0 ELSE disabled END
                WHERE id = ?1
                """,
            arguments: [id, record.userKey, record.parametersJSON, now.secondsSince1970, registers])
        if !registers, try present["disabled"] as Int64 != 0 { counts.excluded += 1 }
        if let lift { try lift.forget(id) }
        let isSame = oldKey == record.userKey && oldParameters == record.parametersJSON ?? oldParameters
        if isSame { counts.unchanged += 1 } else { counts.updated += 1 }
        guard oldKey != record.userKey else { return }
        let hints = try UserKeyHints(db, app)
        try hints.remove(oldKey, id: id)
        try hints.add(record.userKey, id: id)
    }

    /// A token that is unknown after all.
    private mutating func register(_ record: SubscriberRecord) throws {
        let sequence = try db.value(
            Int64.self, sql: "UPDATE app SET last_sequence = last_sequence + 1 WHERE id = ?1 RETURNING last_sequence",
            arguments: [app.rawValue])
        guard let sequence else { throw UnreadableValue() }
        let id = SubscriptionRange(app).id(sequence: sequence)
        try UserKeyHints(db, app).add(record.userKey, id: id)
        try insert(record, id: id)
    }
}

/// The table that leads from a user key to subscriptions. Nobody is looked up by the empty key, so it has no hints.
struct UserKeyHints {
    private let addition: any Statement
    private let removal: any Statement

    init(_ db: any Session, _ app: AppID) throws {
        addition = try db.statement(
            "INSERT INTO user_key (app_id, user_key, subscription_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
        removal = try db.statement(
            "DELETE FROM user_key WHERE app_id = ?1 AND user_key = ?2 AND subscription_id = ?3")
        addition.bind(app.rawValue, at: 1)
        removal.bind(app.rawValue, at: 1)
    }

    func add(_ key: String, id: Int64) throws { try run(addition, key, id) }
    func remove(_ key: String, id: Int64) throws { try run(removal, key, id) }

    private func run(_ statement: any Statement, _ key: String, _ id: Int64) throws {
        guard !key.isEmpty else { return }
        statement.bind(key, at: 2)
        statement.bind(id, at: 3)
        try statement.run()
    }
}
