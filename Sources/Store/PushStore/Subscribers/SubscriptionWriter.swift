internal import PushModel

/// Writes a page of an import's records within the caller's transaction. Where it is a registration of their
/// tokens, those that were known are valid again, whatever was held against them; elsewhere that stays.
///
/// On an engine that is a journey away a page costs a few statements, not a few for each row.
struct SubscriptionWriter {
    private(set) var counts = ImportCounts()

    private let db: any Session
    private let app: AppID
    private let now: WallTime
    private let registers: Bool
    private let records: [SubscriberRecord]
    private let lookUp: SubscriberLookUp
    private let hints: UserKeyHints
    private let insertion: any Statement
    /// nil: nothing is held against any subscription of the app.
    private let lift: QuarantineLift?

    init(
        _ db: any Session, _ app: AppID, of records: [SubscriberRecord], at now: WallTime, registers: Bool
    ) throws {
        self.db = db
        self.app = app
        self.now = now
        self.registers = registers
        self.records = records
        lift =
            try registers && QuarantineLift.isNeeded(in: SubscriptionRange(app), db)
            ? QuarantineLift(db) : nil
        lookUp = try SubscriberLookUp(db, app)
        hints = try UserKeyHints(db, app)
        insertion = try db.statement(HotSQL.insertSubscription)
        insertion.bind(app.rawValue, at: 2)
        insertion.bind(now.secondsSince1970, at: 6)
    }

    // MARK: New

    /// The hot path: records whose tokens were unknown a moment ago, and whose hints are written already.
    mutating func insert(_ page: ArraySlice<UInt32>, ids: [Int64]) throws {
        // Another process may have registered a token since.
        try replace(
            try db.arrayStatement(HotSQL.insertSubscriptions).map { try insert(page, ids, by: $0) }
                ?? page.filter { try !insert(records[Int($0)], id: ids[Int($0)]) })
    }

    /// - Returns: those whose token was known after all.
    private mutating func insert(
        _ page: ArraySlice<UInt32>, _ ids: [Int64], by statement: any ArrayStatement
    ) throws -> [UInt32] {
        statement.bind(app.rawValue, at: 1)
        statement.bind(now.secondsSince1970, at: 2)
        statement.bind(page.map { ids[Int($0)] }, at: 3)
        statement.bind(page.map { records[Int($0)].token }, at: 4)
        statement.bind(page.map { records[Int($0)].userKey }, at: 5)
        statement.bind(page.map { records[Int($0)].parametersJSON }, at: 6)
        let count = try statement.change()
        counts.inserted += count
        guard count < page.count else { return [] }
        return zip(page, try lookUp.find(page, of: records)).filter { $1?.id != ids[Int($0)] }.map(\.0)
    }

    /// - Returns: false where the token was known after all.
    private mutating func insert(_ record: SubscriberRecord, id: Int64) throws -> Bool {
        insertion.bind(id, at: 1)
        insertion.bind(token: record.token, at: 3)
        insertion.bind(record.userKey, at: 4)
        insertion.bind(record.parametersJSON, at: 5)
        guard try insertion.change() == 1 else { return false }
        counts.inserted += 1
        return true
    }

    /// A token that is unknown after all.
    private mutating func register(_ record: SubscriberRecord) throws {
        let sequence = try db.value(
            Int64.self,
            sql: "UPDATE app SET last_sequence = last_sequence + 1 WHERE id = ?1 RETURNING last_sequence",
            arguments: [app.rawValue])
        guard let sequence else { throw UnreadableValue() }
        let id = SubscriptionRange(app).id(sequence: sequence)
        try hints.add(record.userKey, id: id)
        guard try insert(record, id: id) else { throw UnreadableValue() }
    }

    // MARK: Known

    /// Records that said what the store said of their tokens a moment ago: another process may have changed
    /// that since.
    mutating func confirm(_ page: ArraySlice<UInt32>) throws {
        let touching = try db.arrayStatement(HotSQL.touchSubscriptions)
        if registers, lift == nil, touching == nil {
            return try replace(page.filter { try !touch(records[Int($0)]) })
        }
        var (changed, same, ids): ([UInt32], [UInt32], [Int64]) = ([], [], [])
        for (index, known) in zip(page, try lookUp.find(page, of: records)) {
            guard let known, known.isSame else {
                changed.append(index)
                continue
            }
            same.append(index)
            ids.append(known.id)
            if !registers, known.isExcluded { counts.excluded += 1 }
        }
        if !registers {
            counts.unchanged += same.count
        } else if let touching {
            touching.bind(now.secondsSince1970, at: 1)
            touching.bind(ids, at: 2)
            counts.unchanged += try touching.change()
        } else {
            for index in same { _ = try touch(records[Int(index)]) }
        }
        try lift?.forget(ids)
        try replace(changed)
    }

    /// - Returns: false where the store says something else of it.
    private mutating func touch(_ record: SubscriberRecord) throws -> Bool {
        let confirmation = try db.statement(HotSQL.confirm)
        confirmation.bind(app.rawValue, at: 1)
        confirmation.bind(token: record.token, at: 2)
        confirmation.bind(now.secondsSince1970, at: 3)
        confirmation.bind(record.userKey, at: 4)
        confirmation.bind(record.parametersJSON, at: 5)
        guard try confirmation.change() == 1 else { return false }
        counts.unchanged += 1
        return true
    }

    /// Whatever the store knows of these tokens becomes what the records say, hints included.
    mutating func replace(_ page: some RandomAccessCollection<UInt32>) throws {
        guard !page.isEmpty else { return }
        let update = try db.statement(HotSQL.replaceSubscription)
        update.bind(now.secondsSince1970, at: 4)
        update.bind(registers, at: 5)
        var ids: [Int64] = []
        var moved: [(id: Int64, old: String, new: String)] = []
        for (index, known) in zip(page, try lookUp.find(page, of: records)) {
            let record = records[Int(index)]
            guard let known else {
                try register(record)
                continue
            }
            update.bind(known.id, at: 1)
            update.bind(record.userKey, at: 2)
            update.bind(record.parametersJSON, at: 3)
            try update.run()
            ids.append(known.id)
            if !registers, known.isExcluded { counts.excluded += 1 }
            if known.isSame { counts.unchanged += 1 } else { counts.updated += 1 }
            if let old = known.otherUserKey { moved.append((known.id, old, record.userKey)) }
        }
        try hints.change(moved)
        try lift?.forget(ids)
    }
}
