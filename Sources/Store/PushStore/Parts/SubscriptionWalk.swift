internal import PushModel
internal import PushQueue

/// A reader of subscriptions by number, many at a time. It lends their bytes instead of copying them.
///
/// The members of a part are mostly neighbours. On SQLite, a step from one subscription to the next costs a
/// third of a look-up, and a restart at a gap costs no more than a look-up. A server receives a single query.
/// If most of a range is wanted, the query is for the range, which costs the server half of a look-up for
/// each subscription; otherwise it is for the list of numbers. If all of a range is wanted, the server can
/// omit the number of each row, which is a quarter of a row's cost: if there are as many rows as numbers,
/// their order determines the numbers.
struct SubscriptionWalk {
    private let db: any Session
    private let columns: String
    private var statement: any Statement
    /// The cursor that does all the work if the store is in a file. The properties below are used if the
    /// store is on a server.
    fileprivate private(set) var inFile: SubscriptionCursor?
    /// The query whose rows do not contain their numbers.
    private var run: Run?
    private var last: Int64
    /// The current subscription of the statement, which is the first one from ``sought`` on; `nil` if there
    /// is none.
    private var present: Int64?
    private var sought: Int64?
    /// The first number of the query that was sent to a server in advance; `nil` once its answer has been
    /// used.
    private var asked: Int64?

    /// The columns for a message whose payload contains nothing about its recipient.
    static let token = "id, token"
    /// The columns for a message whose payload depends on the recipient's parameters.
    static let filling = "id, token, parameters"
    /// The columns of ``filling``, with the device's language before the parameters
    /// (``PushModel/MessageFilling``). The SQL text contains the line feeds literally, so that both engines
    /// can use the same text. Line feeds in a language are replaced, because the rest of the language would
    /// become part of the parameters.
    static let localised = """
        id, token, '\n' || coalesce((SELECT replace(d.language, '\n', ' ') FROM device d
            WHERE d.subscription_id = subscription.id), '') || '\n' || coalesce(parameters, '')
        """
    /// Returns the columns for a message whose payload depends on the recipient's parameters and on these
    /// facts, which follow the parameters, and possibly on the language.
    static func filling(
        _ facts: Set<CollectedFact>, withLanguage: Bool, _ dialect: SQLDialect
    ) -> String {
        guard !facts.isEmpty else { return withLanguage ? localised : filling }
        let plain = withLanguage ? localised : "id, token, coalesce(parameters, '')"
        return "\(plain) || \(FactSQL.objects(facts, dialect))"
    }

    /// All columns about the recipient of a message.
    static let address = "id, token, user_key, parameters"
    /// The columns of ``address``, and then these facts.
    static func address(with facts: [CollectedFact]) -> String {
        ([address] + facts.map(FactSQL.plainValue)).joined(separator: ", ")
    }
    /// The columns that show whether a verdict still applies.
    static let registration = "id, updated_at, disabled"
    /// The parameters of the subscription itself.
    static let parameters = "id, parameters"

    /// - Parameters:
    ///   - subscriptions: The subscriptions that will be sought. Ascending order costs least.
    ///   - columns: The columns; the first one is the number.
    ///   - someAreGone: Whether some of the subscriptions are known to be deleted.
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

    /// Reports whether at least half of the numbers from the first to the last are wanted.
    private static func isDense(_ subscriptions: ContiguousArray<SubscriptionID>, _ last: Int64) -> Bool {
        guard let first = subscriptions.min()?.rawValue else { return true }
        let (span, isTooLong) = last.subtractingReportingOverflow(first)
        return !isTooLong && span < 2 * Int64(subscriptions.count)
    }

    /// - Returns: The row of the subscription, which is valid until the next call; `nil` if the subscription
    ///   was deleted.
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

    /// Whether the answer, once it has arrived, identifies the subscription of each row. If it does not,
    /// another query follows.
    var statesOwner: Bool { run?.isWhole ?? true }

    func end() { statement.reset() }

    private mutating func begin(at first: Int64) throws {
        if let asked, asked <= first {
            self.asked = nil
            repeat { try step() } while present.map { $0 < first } ?? false
            return
        }
        statement.reset()
        if run != nil { try startRun() }
        statement.bind(first, at: 1)
        try step()
    }

    private mutating func step() throws {
        guard try statement.next() else { return present = nil }
        guard run != nil else { return present = statement.integer(0) }
        if let number = run?.nextNumber() { return present = number }
        // Some subscriptions were deleted.
        let first = run?.first ?? 0
        statement.reset()
        try startRun()
        statement.bind(first, at: 1)
        try step()
    }

    private mutating func startRun() throws {
        run = nil
        statement = try db.statement(HotSQL.subscriptionsInRange(columns))
        statement.bind(last, at: 2)
    }
}

/// A cursor that moves from one subscription of a file to the next with the statement
/// ``HotSQL/subscriptionsInRange(_:)``, and runs the statement again at a gap. It supports only SQLite's
/// statement type, so that a row costs no call through a protocol and no reference count.
private struct SubscriptionCursor {
    let statement: SQLiteStatement
    private var present: Int64?
    private var sought: Int64?

    /// - Parameter statement: A statement whose parameter ?2, the last wanted number, is already bound.
    init(_ statement: SQLiteStatement) { self.statement = statement }

    /// Moves the statement to the row of the subscription, if there is one. Returns `false` if the
    /// subscription was deleted.
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

    /// The number of steps that cost as much as a look-up.
    private static let nearby: Int64 = 8
}

/// A query that asks a server for all numbers in a range.
private struct Run {
    let first: Int64
    let statement: any ArrayStatement
    private let count: Int64
    private var taken: Int64 = 0

    /// `nil` if some numbers of the range are not wanted, or if the engine does not support this query.
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

    /// Returns the number of the current row; `nil` if the number cannot be determined because rows are
    /// missing.
    mutating func nextNumber() -> Int64? {
        guard isWhole else { return nil }
        defer { taken += 1 }
        return first + taken
    }
}

extension HotSQL {
    /// PostgreSQL only: the query of ``subscriptionsInRange(_:)`` with the same parameters, but without the
    /// numbers in its rows.
    static func subscriptionsOfRun(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT NULL\(columns.dropFirst(2)) FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
    }

    /// ?1 the first wanted number, ?2 the last one.
    static func subscriptionsInRange(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT \(columns) FROM subscription WHERE id BETWEEN ?1 AND ?2 ORDER BY id"
    }

    /// For a server: ?1 the first wanted number, ?2 an array of all wanted numbers.
    static func listedSubscriptions(_ columns: String = SubscriptionWalk.address) -> String {
        "SELECT \(columns) FROM subscription WHERE id >= ?1 AND id = ANY (CAST(?2 AS BIGINT[])) ORDER BY id"
    }
}

/// A lender of the subscriptions for some of a part's messages.
///
/// Unsafe: it lends the engine's own memory. Columns stay valid until the next step, the buffer for tokens
/// that are converted to text stays valid until `visit` returns, and spans cannot outlive the closure that
/// receives them.
enum SubscriptionVisitor {
    /// - Parameters:
    ///   - indices: The indices of messages, in ascending order.
    ///   - columns: ``SubscriptionWalk/address``, ``SubscriptionWalk/token`` or
    ///     ``SubscriptionWalk/filling(_:withLanguage:_:)``. Values that are not among the columns are empty.
    ///   - someAreGone: Whether some of the subscriptions are known to be deleted.
    ///   - body: Receives the place of each message in `indices`, with empty bytes if its subscription was
    ///     deleted.
    static func visit(
        _ indices: ContiguousArray<Int>, of members: PartMembers, reading columns: String,
        someAreGone: Bool = false, _ db: any Session,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let subscriptions = members.subscriptions(at: indices)
        var walk = try SubscriptionWalk(
            subscriptions, db, reading: columns, someAreGone: someAreGone)
        try visit(subscriptions, by: &walk, reading: columns, to: body)
    }

    /// - Parameter walk: A walk that covers these subscriptions, and possibly others, and that reads the same
    ///   columns.
    static func visit(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        defer { walk.end() }
        guard subscriptions.isAscending else {
            return try visitCopies(subscriptions, by: &walk, reading: columns, to: body)
        }
        try visitRows(subscriptions, by: &walk, reading: columns, to: body)
    }

    /// Lends copies, because the subscriptions of individually submitted messages can be in any order,
    /// whereas a server answers in ascending order.
    private static func visitCopies(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let places = subscriptions.indices.sorted { subscriptions[$0] < subscriptions[$1] }
        var rows = [(token: [UInt8], userKey: [UInt8], parameters: [UInt8])](
            repeating: ([], [], []), count: subscriptions.count)
        try visitRows(ContiguousArray(places.map { subscriptions[$0] }), by: &walk, reading: columns) {
            place, token, userKey, parameters in
            rows[places[place]] = (Array(copying: token), Array(copying: userKey), Array(copying: parameters))
        }
        for (place, row) in rows.enumerated() {
            body(place, row.token.span, row.userKey.span, row.parameters.span)
        }
    }

    private static func visitRows(
        _ subscriptions: ContiguousArray<SubscriptionID>, by walk: inout SubscriptionWalk,
        reading columns: String,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) throws {
        let row = ColumnReader(columns)
        try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: StoredToken.maxHexDigits) {
            spelled in
            if var cursor = walk.inFile {
                for place in subscriptions.indices {
                    if try cursor.seek(subscriptions[place]) {
                        unsafe row.visit(cursor.statement, of: place, spelled, to: body)
                    } else {
                        body(place, Span(), Span(), Span())
                    }
                }
                return
            }
            for place in subscriptions.indices {
                if let statement = try walk.seek(subscriptions[place]) {
                    unsafe row.visit(statement, of: place, spelled, to: body)
                } else {
                    body(place, Span(), Span(), Span())
                }
            }
        }
    }
}

/// The available columns in a row of a walk.
private struct ColumnReader {
    private let hasUserKey: Bool
    private let hasParameters: Bool

    init(_ columns: String) {
        hasUserKey = columns == SubscriptionWalk.address
        hasParameters = columns != SubscriptionWalk.token
    }

    /// Unsafe: it lends the engine's memory, or that of `spelled`.
    @inline(__always)
    func visit(
        _ row: some Statement, of place: Int, _ spelled: UnsafeMutableBufferPointer<UInt8>,
        to body: (Int, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void
    ) {
        // This must be a constant: if the span of a variable is lent, the compiler puts the variable on the
        // heap, once for each row.
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
