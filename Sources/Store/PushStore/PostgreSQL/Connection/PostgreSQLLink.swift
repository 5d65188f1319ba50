internal import CPushShims

/// One connection of libpq. Commands are queued, and their answers awaited when one is needed: a transaction
/// of a single statement makes two journeys, not four, and one that reads once makes one.
///
/// Used by one thread at a time. Of what is lost with a connection, only a commit leaves open whether it
/// happened.
@safe
final class PostgreSQLLink {
    /// How transactions begin. A reader's sees one moment throughout, and can change nothing. A writer's
    /// takes the store's write lock first, so that there is one at a time, as the store's statements suppose;
    /// what each statement then sees under READ COMMITTED is what the writers before it left, and nobody
    /// changes it. A higher level would see the moment in which it began to wait for the lock.
    enum Kind {
        case read, write
        /// As ``write``, but it waits a second at most for others that write.
        case promptWrite
        /// Rows that nobody else writes: it waits for no other writer.
        case ownRows

        fileprivate var beginning: [String] {
            switch self {
            case .read: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]
            case .ownRows: ["BEGIN ISOLATION LEVEL READ COMMITTED"]
            case .write:
                [
                    "BEGIN ISOLATION LEVEL READ COMMITTED",
                    "SELECT pg_advisory_xact_lock(\(AdvisoryLock.write))",
                ]
            case .promptWrite:
                [
                    "BEGIN ISOLATION LEVEL READ COMMITTED", "SET LOCAL lock_timeout = 1000",
                    "SELECT pg_advisory_xact_lock(\(AdvisoryLock.write))",
                ]
            }
        }
    }

    private enum State { case idle, inTransaction, readingOnce, hasReadOnce }

    private let connection: OpaquePointer
    private var statements: [String: PostgreSQLStatement] = [:]
    private var lastName = 0
    /// Commands that were queued and not answered: the statement that is to get the answer; nil: nobody reads
    /// it.
    private var queued: [PostgreSQLStatement?] = []
    /// Those of them that prepare a statement.
    private var preparing: [PostgreSQLStatement] = []
    private var answers: [OpaquePointer?] = unsafe []
    /// Rows that commands have changed, all together.
    private(set) var totalChanges = 0
    /// Of the last answer that was awaited.
    private(set) var changes = 0
    private(set) var journeys = 0
    private var state = State.idle
    var isInTransaction: Bool { state != .idle }

    /// This host's, where it is one of several.
    let term: HostTerm?

    /// Waits until it is connected, or cannot be.
    init(_ parameters: [(key: String, value: String)], term: HostTerm? = nil) throws {
        self.term = term
        if let missing = unsafe push_pg_load() {
            throw PostgreSQLError.unreachable(
                why: unsafe "provider PostgreSQL needs libpq5: install it (\(String(cString: missing)))")
        }
        let keys = CStrings(parameters.map(\.key)), values = CStrings(parameters.map(\.value))
        guard let new = unsafe push_pg_connect(keys.pointers, values.pointers) else {
            throw PostgreSQLError.unreachable(why: "no memory is left")
        }
        unsafe connection = new
        guard unsafe push_pg_is_alive(new) != 0 else {
            let text = errorText
            let isPooler = text.contains(PostgreSQLRequirements.refusalOfPoolers)
            let hint =
                unsafe push_pg_asked_password(new) != 0
                ? "; look at dbcnx/@login and @passwordFile"
                : isPooler ? "; \(PostgreSQLRequirements.pooler)" : ""
            throw PostgreSQLError.unreachable(why: text + hint)
        }
    }

    deinit { unsafe push_pg_close(connection) }

    var isAlive: Bool { unsafe push_pg_is_alive(connection) != 0 }
    var version: Int { Int(unsafe push_pg_version(connection)) }
    var backend: Int { Int(unsafe push_pg_backend(connection)) }

    func parameter(_ name: String) -> String? {
        unsafe push_pg_parameter(connection, name).map { unsafe String(cString: $0) }
    }

    /// In one line. It names servers and accounts, and no secret.
    private var errorText: String {
        let text = unsafe String(cString: push_pg_error(connection))
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? "the connection was lost" : line
    }

    // MARK: Commands

    func statement(_ sql: String) -> PostgreSQLStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        let new = PostgreSQLStatement(NumberedParameters(sql), self)
        statements[sql] = new
        return new
    }

    /// Whoever makes texts without end would fill the server's memory.
    var isWorn: Bool { statements.count >= Self.mostStatements }
    private static let mostStatements = 1_000

    func queue(_ sql: String) throws {
        try mayAsk()
        try check(unsafe push_pg_send_text(connection, sql), for: nil)
    }

    /// - Returns: the name under which the server knows it when what is queued now has gone well.
    func queuePreparation(of statement: PostgreSQLStatement, _ sql: String, types: [UInt32]) throws -> String
    {
        try mayAsk()
        lastName += 1
        let name = "s\(lastName)"
        preparing.append(statement)
        try check(unsafe push_pg_send_prepare(connection, name, sql, Int32(types.count), types), for: nil)
        return name
    }

    /// - Parameter reader: gets the answer, when it is awaited or any later one is.
    func queue(
        _ name: String, _ parameters: borrowing PostgreSQLParameters, for reader: PostgreSQLStatement?
    ) throws {
        try mayAsk()
        try check(
            unsafe push_pg_send(
                connection, name, Int32(parameters.count), parameters.values, parameters.lengths,
                parameters.formats),
            for: reader)
    }

    /// What is asked in two journeys is asked in a transaction.
    private func mayAsk() throws {
        if state == .hasReadOnce { throw PostgreSQLError.answer(state: "25P01") }
    }

    private func check(_ code: Int32, for reader: PostgreSQLStatement?) throws {
        guard code != 0 else { throw lost() }
        queued.append(reader)
    }

    private func lost() -> PostgreSQLError {
        forgetQueued()
        state = .idle
        return .lost(why: errorText)
    }

    private func forgetQueued() {
        for reader in queued { reader?.forgetAsked() }
        queued.removeAll(keepingCapacity: true)
    }

    var hasQueued: Bool { !queued.isEmpty }

    /// Awaits the answers to all that is queued. - Returns: the last one, to be dropped when it has been
    /// read.
    @discardableResult
    func finish() throws -> PostgreSQLResult {
        if state == .readingOnce { state = .hasReadOnce }
        journeys += 1
        let count = queued.count
        while unsafe answers.count < count { unsafe answers.append(nil) }
        guard count > 0, unsafe push_pg_finish(connection, Int32(count), &answers) != 0 else { throw lost() }
        defer { preparing = [] }
        return try handOut(count)
    }

    /// To the statements that wait for them. What came after an error the server passed over.
    private func handOut(_ count: Int) throws -> PostgreSQLResult {
        var last: PostgreSQLResult?
        for index in 0..<count {
            guard let answer = unsafe answers[index] else { throw lost() }
            unsafe answers[index] = nil
            let result = unsafe PostgreSQLResult(answer)
            if let state = result.errorState { throw refused(state, after: index, count) }
            changes = result.changes
            totalChanges += changes
            queued[index]?.take(result)
            last = result
        }
        queued.removeAll(keepingCapacity: true)
        guard let last else { throw lost() }
        return last
    }

    private func refused(_ state: String, after index: Int, _ count: Int) -> PostgreSQLError {
        for later in index + 1..<count {
            if let answer = unsafe answers[later] { unsafe push_pg_clear(answer) }
            unsafe answers[later] = nil
        }
        for statement in preparing { statement.forgetPreparation() }
        forgetQueued()
        return isAlive ? .answer(state: state) : lost()
    }

    // MARK: Notifications

    /// On which all who share a store tell each other that it was changed. A database has one store.
    private static let channel = "pushmta"
    private(set) var isListening = false

    func listen() throws {
        try queue("LISTEN \(Self.channel)")
        try finish()
        isListening = true
    }

    /// Tells all who listen, at once. It need not be on disk: whoever listens then may look by itself as well.
    func notify() throws {
        try transaction(.ownRows) {
            try queue("SET LOCAL synchronous_commit = off")
            try queue("NOTIFY \(Self.channel)")
        }
    }

    /// Waits until somebody notifies, the other descriptor can be read, or the time is over.
    /// - Returns: whether somebody else did.
    func waitForNotification(or descriptor: Int32, atMostMilliseconds limit: Int32) -> Bool {
        if unsafe push_pg_take_notifications(connection) > 0 { return true }
        unsafe _ = push_pg_wait(connection, descriptor, limit)
        return unsafe push_pg_take_notifications(connection) > 0
    }

    // MARK: Transactions

    func transaction<Value>(_ kind: Kind, _ body: () throws -> Value) throws -> Value {
        for command in kind.beginning { try statement(command).run() }
        state = .inTransaction
        let value: Value
        do { value = try body() } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    /// A transaction of one journey, which no command need begin or end: what is queued together is one of
    /// itself. On a connection that ``readsOnly()``. Where the body would await a second answer it fails:
    /// that would see another moment.
    func readOnce<Value>(_ body: () throws -> Value) throws -> Value {
        state = .readingOnce
        defer {
            if hasQueued { _ = try? finish() }
            state = .idle
        }
        return try body()
    }

    /// From now on nothing that comes without a BEGIN of its own changes anything, or sees more than one
    /// moment.
    func readsOnly() throws {
        try queue("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        try finish()
    }

    /// Both awaits what is queued and commits. An error that is an answer means that nothing happened.
    func commit() throws {
        do {
            try statement("COMMIT").run()
            // A transaction in which something failed is rolled back by it, without an error.
            guard try finish().tag == "COMMIT" else { throw PostgreSQLError.answer(state: "25P02") }
            state = .idle
        } catch {
            rollBack()
            throw error
        }
    }

    /// What fails here ends with the connection.
    private func rollBack() {
        guard isInTransaction else { return }
        state = .idle
        // What is still queued may fail: then ROLLBACK is passed over too.
        if hasQueued { _ = try? finish() }
        guard (try? queue("ROLLBACK")) != nil else { return }
        _ = try? finish()
    }
}

/// Numbers of the locks that a store has in its database.
enum AdvisoryLock {
    /// "PMTA", in a pair with what is locked.
    static let store = 0x504D_5441
    /// Held by a transaction that writes.
    static let write = "\(store), 1"
    /// Held by the connection of the master that serves the store.
    static let master = "\(store), \(masterNumber)"
    static let masterNumber = 2
}

/// Texts as C has them, ended by NULL.
@safe
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointers = .allocate(capacity: texts.count + 1)
        for (index, text) in texts.enumerated() {
            let bytes = text.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (place, byte) in bytes.enumerated() { unsafe (copy + place).initialize(to: byte) }
            unsafe (pointers + index).initialize(to: UnsafePointer(copy))
        }
        unsafe (pointers + texts.count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe pointers[index]?.deallocate() }
        unsafe pointers.deallocate()
    }
}
