internal import PushModel

/// Writes a page of an import's rows within the caller's transaction. If the import registers the tokens,
/// known subscriptions become valid again, regardless of their errors and verdicts. Otherwise, their state
/// does not change.
///
/// On an engine that requires network round trips, a page costs a few statements, not a few for each row.
struct SubscriptionWriter {
    private(set) var counts = ImportCounts()

    private let db: any Session
    private let app: AppID
    private let now: WallTime
    private let registers: Bool
    private let page: SubscriberChunk
    private let lookUp: SubscriberLookUp
    private let hints: UserKeyHints
    private let insertion: any Statement
    /// The app's opt-outs; `nil` if it has none.
    private let optOuts: OptOuts?
    /// The lift that ends quarantines; `nil` if no subscription of the app has errors or verdicts.
    private let lift: QuarantineLift?

    init(
        _ db: any Session, _ app: AppID, of page: SubscriberChunk, at now: WallTime, registers: Bool
    ) throws {
        self.db = db
        self.app = app
        self.now = now
        self.registers = registers
        self.page = page
        let optOuts = OptOuts(db: db, app: app)
        self.optOuts = try optOuts.exist() ? optOuts : nil
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

    /// The hot path: inserts rows whose tokens were unknown a moment ago, and whose hints have already been
    /// written.
    /// - Parameter ids: The ids of the rows.
    mutating func insert(ids: [Int64]) throws {
        // Another process may have registered a token in the meantime.
        let known =
            try db.arrayStatement(HotSQL.insertSubscriptions).map { try insert(ids, by: $0) }
            ?? page.indices.filter { try !insert($0, id: ids[$0]) }
        let others = Set(known)
        let new = page.indices.filter { !others.contains($0) }.map { (index: $0, id: ids[$0]) }
        if optOuts != nil { try settle(new.map { ($0.index, $0.id, nil) }) }
        try replace(known)
        _ = try noteLanguages(new)
    }

    /// Updates the states of subscriptions that are new or have another user, according to the opt-outs that
    /// are stored about their tokens, and counts those that are excluded.
    /// - Parameter rows: The rows with their ids and the subscriptions before; `nil` means new.
    private mutating func settle(_ rows: [(index: Int, id: Int64, known: KnownSubscriber?)]) throws {
        guard let optOuts, !rows.isEmpty else { return rows.compactMap(\.known).forEach { count($0) } }
        let marks = rows.map { OptOuts.mark(ofToken: page.token($0.index), app) }
        for (place, persons) in try optOuts.persons(of: marks).enumerated() {
            let row = rows[place]
            let wasOptedOut = row.known?.isOptedOut
            let isOptedOut = try optOuts.settle(
                [marks[place]], [persons], userKey: page.text(.userKey, of: row.index),
                wasOptedOut: wasOptedOut, lifts: false)
            var isExcluded = !registers && row.known?.isExcluded == true
            if isOptedOut != wasOptedOut ?? false {
                let state =
                    try isOptedOut ? StateCode.optedOut : QuarantineWriter.excludingState(of: row.id, db)
                try db.run(sql: HotSQL.quarantineSubscription, arguments: [row.id, state])
                isExcluded = state != StateCode.valid
            }
            if isOptedOut { counts.optedOut += 1 } else if isExcluded { counts.excluded += 1 }
        }
    }

    /// - Returns: The rows whose token was known after all.
    private mutating func insert(_ ids: [Int64], by statement: any ArrayStatement) throws -> [Int] {
        statement.bind(app.rawValue, at: 1)
        statement.bind(now.secondsSince1970, at: 2)
        statement.bind(ids, at: 3)
        statement.bind(page.indices.map { page.token($0) }, at: 4)
        statement.bind(page.indices.map { page.text(.userKey, of: $0) }, at: 5)
        statement.bind(page.indices.map { page.parameters($0) }, at: 6)
        let count = try statement.change()
        counts.inserted += count
        guard count < page.count else { return [] }
        return zip(page.indices, try lookUp.find(page)).filter { $1?.id != ids[$0] }.map(\.0)
    }

    /// - Returns: `false` if the token was known after all.
    private mutating func insert(_ index: Int, id: Int64) throws -> Bool {
        insertion.bind(id, at: 1)
        page.bindToken(of: index, to: insertion, at: 3)
        page.bind(.userKey, of: index, to: insertion, at: 4)
        page.bind(.parameters, of: index, to: insertion, at: 5)
        guard try insertion.change() == 1 else { return false }
        counts.inserted += 1
        return true
    }

    /// Registers a token that is unknown after all.
    /// - Returns: The id of the row.
    private mutating func register(_ index: Int) throws -> Int64 {
        let sequence = try db.value(
            Int64.self,
            sql: "UPDATE app SET last_sequence = last_sequence + 1 WHERE id = ?1 RETURNING last_sequence",
            arguments: [app.rawValue])
        guard let sequence else { throw UnreadableValue() }
        let id = SubscriptionRange(app).id(sequence: sequence)
        try hints.add(page.text(.userKey, of: index), id: id)
        guard try insert(index, id: id) else { throw UnreadableValue() }
        try settle([(index, id, nil)])
        return id
    }

    // MARK: Known

    /// Confirms rows that had the same data as the store a moment ago. Another process may have changed the
    /// store's data in the meantime.
    mutating func confirm() throws {
        let touching = try db.arrayStatement(HotSQL.touchSubscriptions)
        if registers, lift == nil, optOuts == nil, touching == nil, !page.statesLanguages {
            return try replace(page.indices.filter { try !touch($0) })
        }
        var (changed, same): ([Int], [(index: Int, id: Int64)]) = ([], [])
        for (index, known) in zip(page.indices, try lookUp.find(page)) {
            guard let known, known.isSame else {
                changed.append(index)
                continue
            }
            same.append((index, known.id))
            count(known)
        }
        if !registers {
            counts.unchanged += same.count
        } else if let touching {
            touching.bind(now.secondsSince1970, at: 1)
            touching.bind(same.map(\.id), at: 2)
            counts.unchanged += try touching.change()
        } else {
            for row in same { _ = try touch(row.index) }
        }
        try lift?.forget(same.map(\.id))
        // A row with another language than the store counts as updated.
        let count = try noteLanguages(same)
        counts.unchanged -= count
        counts.updated += count
        try replace(changed)
    }

    /// Writes the languages that some rows state.
    /// - Returns: The number of devices whose language changed.
    private func noteLanguages(_ rows: [(index: Int, id: Int64)]) throws -> Int {
        let stated = rows.filter { !page.isEmpty(.language, of: $0.index) }
        guard !stated.isEmpty else { return 0 }
        if let many = try db.arrayStatement(HotSQL.noteLanguages) {
            many.bind(stated.map(\.id), at: 1)
            many.bind(stated.map { page.text(.language, of: $0.index) }, at: 2)
            return try many.change()
        }
        let one = try db.statement(HotSQL.noteLanguage)
        return try stated.reduce(0) { count, row in
            one.bind(row.id, at: 1)
            page.bind(.language, of: row.index, to: one, at: 2)
            return try count + one.change()
        }
    }

    /// - Returns: `false` if the store has different data.
    private mutating func touch(_ index: Int) throws -> Bool {
        let confirmation = try db.statement(HotSQL.confirm)
        confirmation.bind(app.rawValue, at: 1)
        page.bindToken(of: index, to: confirmation, at: 2)
        confirmation.bind(now.secondsSince1970, at: 3)
        page.bind(.userKey, of: index, to: confirmation, at: 4)
        page.bind(.parameters, of: index, to: confirmation, at: 5)
        guard try confirmation.change() == 1 else { return false }
        counts.unchanged += 1
        return true
    }

    /// Replaces the store's data about these tokens, including hints, with the data of the rows.
    mutating func replace() throws { try replace(Array(page.indices)) }

    private mutating func replace(_ indices: [Int]) throws {
        guard !indices.isEmpty else { return }
        let update = try db.statement(HotSQL.replaceSubscription)
        update.bind(now.secondsSince1970, at: 4)
        update.bind(registers, at: 5)
        var written: [(index: Int, id: Int64)] = []
        var moved: [(id: Int64, old: String, new: String)] = []
        var owned: [(index: Int, id: Int64, known: KnownSubscriber?)] = []
        for (index, known) in zip(indices, try lookUp.find(indices, of: page)) {
            guard let known else {
                written.append((index, try register(index)))
                continue
            }
            update.bind(known.id, at: 1)
            page.bind(.userKey, of: index, to: update, at: 2)
            page.bind(.parameters, of: index, to: update, at: 3)
            try update.run()
            written.append((index, known.id))
            if known.otherUserKey == nil {
                count(known)
            } else {
                owned.append((index, known.id, known))
            }
            if known.isSame { counts.unchanged += 1 } else { counts.updated += 1 }
            if let old = known.otherUserKey { moved.append((known.id, old, page.text(.userKey, of: index))) }
        }
        try hints.change(moved)
        try lift?.forget(written.map(\.id))
        try settle(owned)
        _ = try noteLanguages(written)
    }

    /// Counts a subscription that stays excluded.
    private mutating func count(_ known: KnownSubscriber) {
        if known.isOptedOut {
            counts.optedOut += 1
        } else if !registers, known.isExcluded {
            counts.excluded += 1
        }
    }
}
