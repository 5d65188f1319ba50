internal import PushCrypto
internal import PushModel

/// Who recorded an opt-out. The raw values are those of `opt_out.source`.
package enum OptOutSource: Int64, Sendable, CaseIterable {
    /// The person, on the device.
    case device = 1
    /// An operator.
    case byHand = 2

    /// The name used for operators, webhooks and the API.
    package var name: String {
        switch self {
        case .device: "device"
        case .byHand: "operator"
        }
    }
}

/// The opt-outs of an app's devices, within the caller's transaction.
///
/// An opt-out belongs to a person on a device. It is stored under a mark of the device's token and, if the
/// device sends an id, also under the mark of this id. It therefore remains when the subscription is removed,
/// imported again or gets another token. `subscription.disabled` is ``StateCode/optedOut`` if an opt-out
/// applies to the present user of the device, so that preparation needs no other table.
///
/// The rules:
/// - An opt-out does not apply to another person who logs in on the device. It applies again when its person
///   returns.
/// - If no person is logged in, the device stays in the state that it had before.
/// - An opt-out that was made without a user key becomes that of the first person who registers on the
///   device.
struct OptOuts {
    /// The person of an opt-out that was made while no person was logged in.
    static let nobodyYet: Int64 = 0
    /// The person of an opt-out that applies to all persons on a device, because more persons have opted out
    /// there than are stored.
    static let everybody: Int64 = -1
    /// The maximum number of persons that are stored for each mark, in addition to ``nobodyYet`` and
    /// ``everybody``.
    static let maximumPersons = 20
    /// The maximum number of rows that a registration or a request about an opt-out changes: two marks, each
    /// copied or deleted, and those of an earlier token.
    static let rowsPerDevice = 3 * (maximumPersons + 2)

    let db: any Session
    let app: AppID

    /// Whether the app has any opt-outs. ?1 the app. Most apps have none, and then no mark is computed.
    static let anyOfApp = "EXISTS (SELECT 1 FROM opt_out WHERE app_id = ?1)"

    func exist() throws -> Bool {
        try db.value(Bool.self, sql: "SELECT \(Self.anyOfApp)", arguments: [app.rawValue]) ?? false
    }

    // MARK: Marks

    static func mark(ofToken token: String, _ app: AppID) -> Int64 { digest("token of app \(app): \(token)") }

    /// Returns the mark of a subscription's present token; `nil` if the subscription does not exist.
    func mark(ofTokenOf subscription: Int64) throws -> Int64? {
        let row = try db.row(sql: "SELECT token FROM subscription WHERE id = ?1", arguments: [subscription])
        return try row.map { Self.mark(ofToken: StoredToken.text(of: try $0["token"]), app) }
    }

    static func person(_ userKey: String) -> Int64 {
        userKey.isEmpty ? nobodyYet : digest("person: \(userKey)")
    }

    private static func digest(_ text: String) -> Int64 {
        let digest = SHA256.digest(of: Array(text.utf8))
        let value = Int64(bitPattern: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        return value == nobodyYet || value == everybody ? 1 : value
    }

    // MARK: Reading

    private static let columns = "person, since, source"
    private static let personsOfMark = "SELECT \(columns) FROM opt_out WHERE app_id = ?1 AND mark = ?2"
    /// PostgreSQL only. The limit, which no mark reaches, makes the server look up each mark by the key.
    private static let personsOfMarks = """
        SELECT g.place, o.person, o.since, o.source
        FROM unnest(CAST(?2 AS BIGINT[])) WITH ORDINALITY AS g (mark, place)
            CROSS JOIN LATERAL (
                SELECT \(columns) FROM opt_out WHERE app_id = ?1 AND mark = g.mark LIMIT 1000) o
        """

    /// Returns the persons who have opted out under each mark.
    func persons(of marks: [Int64]) throws -> [Set<Int64>] {
        var found = [Set<Int64>](repeating: [], count: marks.count)
        try forEach(of: marks) { index, person, _, _ in found[index].insert(person) }
        return found
    }

    /// - Parameter body: Receives the index of the mark, the person, the time and the source.
    private func forEach(of marks: [Int64], _ body: (Int, Int64, Int64, Int64) -> Void) throws {
        let batch = try Batch(db, one: Self.personsOfMark, many: Self.personsOfMarks)
        batch.bind(app.rawValue, at: 1)
        try batch.rows(of: Array(marks.indices)) {
            $1.bind(marks[$0], at: 2)
        } row: { index, row, column in
            body(index, row.integer(column), row.integer(column + 1), row.integer(column + 2))
        }
    }

    /// Adds to the app's subscriptions that are opted out when and by whom the opt-out was recorded.
    func fill(_ subscriptions: inout [SubscriberFacts]) throws {
        let places = subscriptions.indices.filter {
            subscriptions[$0].app == app && subscriptions[$0].optOut != nil
        }
        guard !places.isEmpty else { return }
        let marks = places.map { Self.mark(ofToken: subscriptions[$0].token, app) }
        let persons = places.map { Self.person(subscriptions[$0].userKey) }
        try forEach(of: marks) { index, person, since, source in
            let isOfUser =
                persons[index] == Self.nobodyYet
                || [persons[index], Self.nobodyYet, Self.everybody].contains(person)
            let since = WallTime(secondsSince1970: since)
            let last = subscriptions[places[index]].optOut?.since ?? since
            guard isOfUser, last <= since else { return }
            subscriptions[places[index]].optOut = OptOutFacts(
                since: since, source: OptOutSource(rawValue: source))
        }
    }

    // MARK: Writing

    /// Records that a person has opted out.
    func add(_ person: Int64, to marks: [Int64], by source: OptOutSource, at now: WallTime) throws {
        for (mark, present) in zip(marks, try persons(of: marks)) {
            let isFull = present.subtracting([Self.nobodyYet, Self.everybody]).count >= Self.maximumPersons
            let mayAdd = person == Self.nobodyYet || present.contains(person) || !isFull
            try db.run(
                sql: """
                    INSERT INTO opt_out (app_id, mark, person, since, source) VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT (app_id, mark, person) DO NOTHING
                    """,
                arguments: [
                    app.rawValue, mark, mayAdd ? person : Self.everybody, now.secondsSince1970,
                    source.rawValue,
                ])
        }
    }

    /// Deletes the opt-outs that apply to a user of the device with these marks. Those of other persons stay.
    /// - Returns: The number of rows that were deleted.
    @discardableResult
    func lift(from marks: [Int64], for userKey: String) throws -> Int {
        try marks.reduce(0) { count, mark in
            try count
                + db.execute(
                    sql: """
                        DELETE FROM opt_out WHERE app_id = ?1 AND mark = ?2
                            AND person IN (?3, \(Self.nobodyYet), \(Self.everybody))
                        """,
                    arguments: [app.rawValue, mark, Self.person(userKey)])
        }
    }

    /// Decides whether an opt-out applies to the user who registers on a device, and updates what is stored
    /// about the device.
    /// - Parameters:
    ///   - persons: The persons who have opted out, for each mark.
    ///   - wasOptedOut: The state of the device's subscription before; `nil` if it had none.
    ///   - lifts: Whether the user explicitly asks to receive messages again.
    func settle(
        _ marks: [Int64], _ persons: [Set<Int64>], userKey: String, wasOptedOut: Bool?,
        lifts: Bool
    ) throws -> Bool {
        let all = persons.reduce(into: Set()) { $0.formUnion($1) }
        guard !all.isEmpty else { return false }
        let person = Self.person(userKey)
        if lifts {
            try lift(from: marks, for: userKey)
            return false
        }
        for (mark, present) in zip(marks, persons) where present != all {
            for other in marks where other != mark { try copy(other, to: mark) }
        }
        let isForAll = all.contains(Self.nobodyYet) || all.contains(Self.everybody)
        guard !userKey.isEmpty else { return isForAll || wasOptedOut ?? true }
        if all.contains(Self.nobodyYet) { for mark in marks { try give(mark, to: person) } }
        return isForAll || all.contains(person)
    }

    /// Copies the opt-outs under one mark to another mark of the same device.
    func copy(_ mark: Int64, to other: Int64) throws {
        try db.run(
            sql: """
                INSERT INTO opt_out (app_id, mark, person, since, source)
                SELECT app_id, CAST(?3 AS BIGINT), person, since, source FROM opt_out
                WHERE app_id = ?1 AND mark = ?2
                ON CONFLICT (app_id, mark, person) DO NOTHING
                """,
            arguments: [app.rawValue, mark, other])
    }

    /// Makes an opt-out without a person that of the first person who registers.
    private func give(_ mark: Int64, to person: Int64) throws {
        try db.run(
            sql: """
                INSERT INTO opt_out (app_id, mark, person, since, source)
                SELECT app_id, mark, CAST(?3 AS BIGINT), since, source FROM opt_out
                WHERE app_id = ?1 AND mark = ?2 AND person = \(Self.nobodyYet)
                ON CONFLICT (app_id, mark, person) DO NOTHING
                """,
            arguments: [app.rawValue, mark, person])
        try db.run(
            sql: """
                DELETE FROM opt_out WHERE app_id = ?1 AND mark = ?2 AND person = \(Self.nobodyYet)
                """,
            arguments: [app.rawValue, mark])
    }

    /// Deletes the opt-outs under a mark that no longer represents a device.
    /// - Returns: The number of rows that were deleted.
    @discardableResult
    func forget(_ mark: Int64) throws -> Int {
        try db.execute(
            sql: "DELETE FROM opt_out WHERE app_id = ?1 AND mark = ?2", arguments: [app.rawValue, mark])
    }

    /// Deletes some of the app's opt-outs.
    /// - Returns: The number of rows that were deleted.
    func forgetPage(of limit: Int) throws -> Int {
        try db.execute(
            sql: """
                DELETE FROM opt_out WHERE app_id = ?1 AND (mark, person) IN (
                    SELECT mark, person FROM opt_out WHERE app_id = ?1 LIMIT ?2)
                """,
            arguments: [app.rawValue, limit])
    }
}
