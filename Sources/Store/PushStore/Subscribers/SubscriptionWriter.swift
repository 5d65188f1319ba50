internal import PushModel

/// Writes a page of an import's rows within the caller's transaction. Where it is a registration of their
/// tokens, those that were known are valid again, whatever was held against them; elsewhere that stays.
///
/// On an engine that is a journey away a page costs a few statements, not a few for each row.
struct SubscriptionWriter {
    private(set) var counts = ImportCounts()

    private let db: any Session
    private let app: AppID
    private let now: WallTime
    private let registers: Bool
    private let chunk: SubscriberChunk
    private let lookUp: SubscriberLookUp
    private let hints: UserKeyHints
    private let insertion: any Statement
    /// nil: nothing is held against any subscription of the app.
    private let lift: QuarantineLift?

    init(
        _ db: any Session, _ app: AppID, of chunk: SubscriberChunk, at now: WallTime, registers: Bool
    ) throws {
        self.db = db
        self.app = app
        self.now = now
        self.registers = registers
        self.chunk = chunk
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

    /// The hot path: rows whose tokens were unknown a moment ago, and whose hints are written already.
    mutating func insert(_ page: ArraySlice<UInt32>, ids: [Int64]) throws {
        // Another process may have registered a token since.
        try replace(
            try db.arrayStatement(HotSQL.insertSubscriptions).map { try insert(page, ids, by: $0) }
                ?? page.filter { try !insert(Int($0), id: ids[Int($0)]) })
    }

    /// - Returns: those whose token was known after all.
    private mutating func insert(
        _ page: ArraySlice<UInt32>, _ ids: [Int64], by statement: any ArrayStatement
    ) throws -> [UInt32] {
        statement.bind(app.rawValue, at: 1)
        statement.bind(now.secondsSince1970, at: 2)
        statement.bind(page.map { ids[Int($0)] }, at: 3)
        statement.bind(page.map { chunk.token(Int($0)) }, at: 4)
        statement.bind(page.map { chunk.text(.userKey, of: Int($0)) }, at: 5)
        statement.bind(page.map { chunk[Int($0)].parametersJSON }, at: 6)
        let count = try statement.change()
        counts.inserted += count
        guard count < page.count else { return [] }
        return zip(page, try lookUp.find(page, of: chunk)).filter { $1?.id != ids[Int($0)] }.map(\.0)
    }

    /// - Returns: false where the token was known after all.
    private mutating func insert(_ index: Int, id: Int64) throws -> Bool {
        insertion.bind(id, at: 1)
        chunk.bindToken(of: index, to: insertion, at: 3)
        chunk.bind(.userKey, of: index, to: insertion, at: 4)
        chunk.bind(.parameters, of: index, to: insertion, at: 5)
        guard try insertion.change() == 1 else { return false }
        counts.inserted += 1
        return true
    }

    /// A token that is unknown after all.
    private mutating func register(_ index: Int) throws {
        let sequence = try db.value(
            Int64.self,
            sql: "UPDATE app SET last_sequence = last_sequence + 1 WHERE id = ?1 RETURNING last_sequence",
            arguments: [app.rawValue])
        guard let sequence else { throw UnreadableValue() }
        let id = SubscriptionRange(app).id(sequence: sequence)
        try hints.add(chunk.text(.userKey, of: index), id: id)
        guard try insert(index, id: id) else { throw UnreadableValue() }
    }

    // MARK: Known

    /// Rows that said what the store said of their tokens a moment ago: another process may have changed
    /// that since.
    mutating func confirm(_ page: ArraySlice<UInt32>) throws {
        let touching = try db.arrayStatement(HotSQL.touchSubscriptions)
        if registers, lift == nil, touching == nil {
            return try replace(page.filter { try !touch(Int($0)) })
        }
        var (changed, same, ids): ([UInt32], [UInt32], [Int64]) = ([], [], [])
        for (index, known) in zip(page, try lookUp.find(page, of: chunk)) {
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
            for index in same { _ = try touch(Int(index)) }
        }
        try lift?.forget(ids)
        try replace(changed)
    }

    /// - Returns: false where the store says something else of it.
    private mutating func touch(_ index: Int) throws -> Bool {
        let confirmation = try db.statement(HotSQL.confirm)
        confirmation.bind(app.rawValue, at: 1)
        chunk.bindToken(of: index, to: confirmation, at: 2)
        confirmation.bind(now.secondsSince1970, at: 3)
        chunk.bind(.userKey, of: index, to: confirmation, at: 4)
        chunk.bind(.parameters, of: index, to: confirmation, at: 5)
        guard try confirmation.change() == 1 else { return false }
        counts.unchanged += 1
        return true
    }

    /// Whatever the store knows of these tokens becomes what the rows say, hints included.
    mutating func replace(_ page: some RandomAccessCollection<UInt32>) throws {
        guard !page.isEmpty else { return }
        let update = try db.statement(HotSQL.replaceSubscription)
        update.bind(now.secondsSince1970, at: 4)
        update.bind(registers, at: 5)
        var ids: [Int64] = []
        var moved: [(id: Int64, old: String, new: String)] = []
        for (index, known) in zip(page, try lookUp.find(page, of: chunk)) {
            let index = Int(index)
            guard let known else {
                try register(index)
                continue
            }
            update.bind(known.id, at: 1)
            chunk.bind(.userKey, of: index, to: update, at: 2)
            chunk.bind(.parameters, of: index, to: update, at: 3)
            try update.run()
            ids.append(known.id)
            if !registers, known.isExcluded { counts.excluded += 1 }
            if known.isSame { counts.unchanged += 1 } else { counts.updated += 1 }
            if let old = known.otherUserKey { moved.append((known.id, old, chunk.text(.userKey, of: index))) }
        }
        try hints.change(moved)
        try lift?.forget(ids)
    }
}
