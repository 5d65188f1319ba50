internal import PushModel
internal import PushQueue

/// Reads subscriptions by number, many at a time, lending their bytes instead of copying them.
///
/// A part's members are mostly neighbours. On SQLite a statement that goes from one to the next costs a third
/// of a look-up for each, and one that begins anew at a gap costs no more than a look-up. A server gets one
/// question: for a range where most of it is wanted, which costs it half of a look-up for each, else for all
/// the numbers. Where all of a range is wanted it need not say whose a row is, which is a quarter of what a row
/// costs it: where there are as many rows as numbers, their order says so.
struct SubscriptionWalk {
    private let db: any Session
    private let columns: String
    private var statement: any Statement
    /// In a file it does everything, and what follows is a server's.
    fileprivate private(set) var inFile: SubscriptionCursor?
    /// What was asked for where the rows do not say whose they are.
    private var run: Run?
    private var last: Int64
    /// The subscription that the statement stands on: the first from ``sought`` on; nil: there is none.
    private var present: Int64?
    private var sought: Int64?
    /// The first that a server has been asked for already.
    private var asked: Int64?

    /// What a message is sent with, where its payload names nobody.
    static let token = "id, token"
    /// What one that differs by parameters is sent with.
    static let filling = "id, token, parameters"
    /// The same, and the device's language before its parameters (``PushModel/MessageFilling``). One text for both
    /// engines: the line feeds stand in it as they are.
    /// A language that has one itself would become a part of the parameters.
    static let localised = """
        id, token, '\n' || coalesce((SELECT replace(d.language, '\n', ' ') FROM device d
            WHERE d.subscription_id = subscription.id), '') || '\n' || coalesce(parameters, '')
        """
    /// All of whom a message is for.
    static let address = "id, token, user_key, parameters"
    /// What says whether a verdict still holds.
    static let registration = "id, updated_at, disabled"
    /// What it says of itself.
    static let parameters = "id, parameters"

    /// - Parameters:
    ///   - subscriptions: that will be sought. In ascending order that costs least.
    ///   - columns: the first is the number.
    ///   - someAreGone: whether it is known that some of them are not there any more.
    init(
        _ subscriptions: ContiguousArray<SubscriptionID>, _ db: any Session,
        reading columns: String = address,
        someAreGone: Bool = false
    ) throws {
        (self.db, self.columns) = (db, columns)
        last = subscriptions.reduce(0) { max($0, $1.rawValue) }
        if !someAreGone, let run = Run(subscriptions, last, db, columns) {
            statement = run.statement
            statement.bind(last, at: 2)
            self.run = run
        } else if db.dialect == .sqlite || Self.isDense(subscriptions, last) {
            statement = try db.statement(HotSQL.subscriptionsInRange(columns))
            statement.bind(last, at: 2)
        } else {
            statement = try db.statement(HotSQL.listedSubscriptions(columns))
            let numbers = "{" + subscriptions.map { String($0.rawValue) }.joined(separator: ",") + "}"
            statement.bind(numbers, at: 2)
        }
        if let statement = statement as? SQLiteStatement { inFile = SubscriptionCursor(statement) }
        guard inFile == nil, let first = subscriptions.min() else { return }
        statement.bind(first.rawValue, at: 1)
        try statement.start()
        asked = first.rawValue
    }

    /// Whether at least half of the numbers from the first to the last are wanted.
    private static func isDense(_ subscriptions: ContiguousArray<SubscriptionID>, _ last: Int64) -> Bool {
        guard let first = subscriptions.min()?.rawValue else { return true }
        let (span, isTooLong) = last.subtractingReportingOverflow(first)
        return !isTooLong && span < 2 * Int64(subscriptions.count)
    }

    /// - Returns: the subscription's row, valid until the next call; nil: it has gone.
    mutating func seek(_ subscription: SubscriptionID) throws -> (any Statement)? {
        if inFile != nil { return try inFile?.seek(subscription) == true ? statement : nil }
        let wanted = subscription.rawValue
        if let sought, sought <= wanted {
            while let next = present, next < wanted { try step() }
        } else {
            try begin(at: wanted)
        }
        sought = wanted
        return present == wanted ? statement : nil
    }

    /// Once its answer is there: whether that says whose each row is. Where it does not, another question follows.
    var saysWhose: Bool { run?.isWhole ?? true }

    func end() { statement.reset() }

    private mutating func begin(at first: Int64) throws {
        if let asked, asked <= first {
            self.asked = nil
            repeat { try step() } while present.map { $0 < first } ?? false
            return
        }
        statement.reset()
        if run != nil { try askWhose() }
        statement.bind(first, at: 1)
        try step()
    }

    private mutating func step() throws {
        guard try statement.next() else { return present = nil }
        guard run != nil else { return present = statement.integer(0) }
        if let number = run?.nextNumber() { return present = number }
        // Some have gone.
        let first = run?.first ?? 0
        statement.reset()
        try askWhose()
        statement.bind(first, at: 1)
        try step()
    }

    private mutating func askWhose() throws {
        run = nil
        statement = try db.statement(HotSQL.subscriptionsInRange(columns))
        statement.bind(last, at: 2)
    }
}

/// Moves from one subscription of a file to the next with the statement
/// ``HotSQL/subscriptionsInRange(_:)``, and runs it anew at a gap. It knows SQLite's statement only, so that a
/// row costs no call through a protocol and no reference count.
private struct SubscriptionCursor {
    let statement: SQLiteStatement
    private var present: Int64?
    private var sought: Int64?

    /// - Parameter statement: with its last number bound.
    init(_ statement: SQLiteStatement) { self.statement = statement }

    /// Whether the statement stands on the subscription's row now; else it has gone.
    @inline(__always)
    mutating func seek(_ subscription: SubscriptionID) throws -> Bool {
        let wanted = subscription.rawValue
        let isAhead = sought.map { $0 <= wanted } ?? false
        sought = wanted
        if isAhead {
            guard let found = present else { return false }
            if found == wanted { return true }
            if found > wanted { return false }
            if wanted - found <= Self.nearby {
                repeat { try step() } while present.map { $0 < wanted } ?? false
                return present == wanted
            }
        }
        statement.reset()
        statement.bind(wanted, at: 1)
        try step()
        return present == wanted
    }

    @inline(__always)
    private mutating func step() throws { present = try statement.next() ? statement.integer(0) : nil }

    /// As many steps as a look-up costs.
    private static let nearby: Int64 = 8
}

/// All numbers of a range, asked of a server.
private struct Run {
    let first: Int64
    let statement: any ArrayStatement
    private let count: Int64
    private var taken: Int64 = 0

    /// nil: not all of the range is wanted, or the engine is none that is asked so.
    init?(
        _ subscriptions: ContiguousArray<SubscriptionID>, _ last: Int64, _ db: any Session, _ columns: String
    ) {
        guard let first = subscriptions.min()?.rawValue, first > 0,
            last - first == Int64(subscriptions.count) - 1,
            let statement = try? db.arrayStatement(HotSQL.subscriptionsOfRun(columns))
        else { return nil }
        (self.first, self.statement, count) = (first, statement, last - first + 1)
    }

    var isWhole: Bool { Int64(statement.rowCount) == count }

    /// Whose the row is; nil: rows are missing, and nobody can say.
    mutating func nextNumber() -> Int64? {
        guard isWhole else { return nil }
        defer { taken += 1 }
        return first + taken
    }
}

extension HotSQL {
    /// Of PostgreSQL alone, ?1 and ?2 as below: the same without the numbers.
    static func subscriptionsOfRun(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT NULL\(columns.dropFirst(2)) FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
    }

    /// ?1 the first that is wanted, ?2 the last.
    static func subscriptionsInRange(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT \(columns) FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
    }

    /// For a server: ?1 the first that is wanted, ?2 an array of all.
    static func listedSubscriptions(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT \(columns) FROM subscription WHERE id >= ?1 AND id = ANY (CAST(?2 AS BIGINT[])) ORDER BY id"
    }
}

/// Lends the subscriptions of some of a part's messages.
///
/// Unsafe because it lends the engine's own memory: columns stay valid until the next step, the spell buffer
/// until this returns, and spans cannot outlive the closure that gets them.
enum SubscriptionLender {
    /// - Parameters:
    ///   - indices: of messages, in ascending order.
    ///   - columns: ``SubscriptionWalk/address``, ``SubscriptionWalk/filling``, ``SubscriptionWalk/localised`` or
    ///     ``SubscriptionWalk/token``; what is not among them is empty.
    ///   - someAreGone: whether it is known that some of them are not there any more.
    ///   - body: gets the place of each in `indices`, with empty bytes where the subscription has gone.
    static func lend(
        _ indices: ContiguousArray<Int>, of members: PartMembers, reading columns: String,
        someAreGone: Bool = false, _ db: any Session,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let subscriptions = members.subscriptions(at: indices)
        var walk = try SubscriptionWalk(
            subscriptions, db, reading: columns, someAreGone: someAreGone)
        try lend(subscriptions, by: &walk, reading: columns, to: body)
    }

    /// - Parameter walk: was made for these and perhaps for others, of the same columns.
    static func lend(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        defer { walk.end() }
        guard subscriptions.isAscending else {
            return try lendCopies(subscriptions, by: &walk, reading: columns, to: body)
        }
        try lendRows(subscriptions, by: &walk, reading: columns, to: body)
    }

    /// Messages that came one by one are for subscriptions in any order, and a server answers in one.
    private static func lendCopies(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let places = subscriptions.indices.sorted { subscriptions[$0] < subscriptions[$1] }
        var rows = [(token: [UInt8], userKey: [UInt8], parameters: [UInt8])](
            repeating: ([], [], []), count: subscriptions.count)
        try lendRows(ContiguousArray(places.map { subscriptions[$0] }), by: &walk, reading: columns) {
            place, token, userKey, parameters in
            rows[places[place]] = (Array(copying: token), Array(copying: userKey), Array(copying: parameters))
        }
        for (place, row) in rows.enumerated() {
            body(place, row.token.span, row.userKey.span, row.parameters.span)
        }
    }

    private static func lendRows(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let row = LentRow(columns)
        try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.longestHex) {
            spelled in
            if var cursor = walk.inFile {
                for place in subscriptions.indices {
                    if try cursor.seek(subscriptions[place]) {
                        unsafe row.lend(cursor.statement, of: place, spelled, to: body)
                    } else {
                        body(place, Span(), Span(), Span())
                    }
                }
                return
            }
            for place in subscriptions.indices {
                if let statement = try walk.seek(subscriptions[place]) {
                    unsafe row.lend(statement, of: place, spelled, to: body)
                } else {
                    body(place, Span(), Span(), Span())
                }
            }
        }
    }
}

/// What a row of a walk has.
private struct LentRow {
    private let hasUserKey: Bool
    private let hasParameters: Bool

    init(_ columns: String) {
        hasUserKey = columns == SubscriptionWalk.address
        hasParameters =
            hasUserKey || columns == SubscriptionWalk.filling || columns == SubscriptionWalk.localised
    }

    /// Unsafe because what it lends is the engine's memory, or that of `spelled`.
    @inline(__always)
    func lend(
        _ row: some Statement, of place: Int, _ spelled: UnsafeMutableBufferPointer<UInt8>,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) {
        // A constant: the compiler puts a variable whose span is lent on the heap, once for each row.
        let stored = unsafe row.bytes(1)
        let token =
            row.isBlob(1)
            ? unsafe UnsafeBufferPointer(rebasing: spelled[..<StoredToken.spell(stored, into: spelled)])
            : unsafe stored
        guard hasParameters else { return body(place, unsafe token.span, Span(), Span()) }
        let parameters = unsafe row.bytes(hasUserKey ? 3 : 2)
        guard hasUserKey else { return body(place, unsafe token.span, Span(), unsafe parameters.span) }
        let userKey = unsafe row.bytes(2)
        body(place, unsafe token.span, unsafe userKey.span, unsafe parameters.span)
    }
}

extension ContiguousArray<SubscriptionID> {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

extension [UInt8] {
    fileprivate init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
