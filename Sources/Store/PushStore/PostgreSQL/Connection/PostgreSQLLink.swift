internal import CPushShims

/// A single libpq connection. Commands are queued, and their answers are awaited only when one is needed. A
/// transaction of a single statement therefore makes two round trips instead of four, and a transaction that
/// reads once makes one.
///
/// Used by one thread at a time. If the connection is lost, the only result that can be unknown is that of a
/// commit.
@safe
final class PostgreSQLLink {
    /// How transactions begin. A reading transaction sees the same committed state throughout, and can change
    /// nothing. A writing transaction first takes the store's write lock, so that only one runs at a time, as
    /// the store's statements assume. Under READ COMMITTED, each statement then sees what the previous
    /// writers committed, and no other writer can change it meanwhile. At a higher isolation level,
    /// statements would see the state from the moment when the transaction began to wait for the lock.
    enum Kind {
        case read, write
        /// Like ``write``, but waits for other writers for at most one second.
        case promptWrite
        /// For rows that no other process writes. Does not wait for other writers.
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
    /// The queued commands without an answer. Each element is the statement that receives the answer; `nil`
    /// if no statement reads it.
    private var queued: [PostgreSQLStatement?] = []
    /// The statements that queued commands prepare.
    private var preparing: [PostgreSQLStatement] = []
    private var answers: [OpaquePointer?] = unsafe []
    /// The total number of rows that commands have changed.
    private(set) var totalChanges = 0
    /// The number of rows that were changed according to the last awaited answer.
    private(set) var changes = 0
    private(set) var journeys = 0
    private var state = State.idle
    var isInTransaction: Bool { state != .idle }

    /// The term of this host, if it is one of several.
    let term: HostTerm?

    /// Waits until the connection is made or has failed.
    init(_ parameters: [(key: String, value: String)], term: HostTerm? = nil) throws {
        self.term = term
        if let missing = unsafe push_pg_load() {
            throw PostgreSQLError.unreachable(
                why:
                    unsafe "the provider PostgreSQL requires libpq5; install it (\(String(cString: missing)))"
            )
        }
        let keys = CStrings(parameters.map(\.key)), values = CStrings(parameters.map(\.value))
        guard let new = unsafe push_pg_connect(keys.pointers, values.pointers) else {
            throw PostgreSQLError.unreachable(why: "out of memory")
        }
        unsafe connection = new
        guard unsafe push_pg_is_alive(new) != 0 else {
            let text = errorText
            let isPooler = text.contains(PostgreSQLRequirements.refusalOfPoolers)
            let hint =
                unsafe push_pg_asked_password(new) != 0
                ? "; check dbcnx/@login and @passwordFile"
                : isPooler
                    ? "; \(PostgreSQLRequirements.pooler)"
                    : "; check that the server runs and that dbcnx/@server names it"
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

    /// The error in one line. It contains the names of servers and accounts, but no secret.
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

    /// Whether the connection has too many prepared statements. Without a limit, a caller that generates ever
    /// new SQL texts would fill the server's memory.
    var isWorn: Bool { statements.count >= Self.maxStatements }
    private static let maxStatements = 1_000

    func queue(_ sql: String) throws {
        try mayAsk()
        try check(unsafe push_pg_send_text(connection, sql), for: nil)
    }

    /// - Returns: The name under which the server knows the statement once the queued commands have
    ///   succeeded.
    func queuePreparation(of statement: PostgreSQLStatement, _ sql: String, types: [UInt32]) throws -> String
    {
        try mayAsk()
        lastName += 1
        let name = "s\(lastName)"
        preparing.append(statement)
        try check(unsafe push_pg_send_prepare(connection, name, sql, Int32(types.count), types), for: nil)
        return name
    }

    /// - Parameter reader: Receives the answer when it, or any later one, is awaited.
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

    /// Queries that take two round trips must be made in a transaction.
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

    /// Awaits the answers to all queued commands.
    /// - Returns: The last answer. The caller drops it after reading it.
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

    /// Passes the answers to the statements that wait for them. After an error, the server skipped the
    /// remaining commands.
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

    /// The channel on which all processes that share a store notify each other of changes. A database
    /// contains one store.
    private static let channel = "pushmta"
    private(set) var isListening = false

    func listen() throws {
        try queue("LISTEN \(Self.channel)")
        try finish()
        isListening = true
    }

    /// Notifies all listeners immediately. The notification need not be on disk, because listeners can also
    /// check by themselves.
    func notify() throws {
        try transaction(.ownRows) {
            try queue("SET LOCAL synchronous_commit = off")
            try queue("NOTIFY \(Self.channel)")
        }
    }

    /// Waits until a notification arrives, the given descriptor is readable, or the time limit is reached.
    /// - Returns: Whether another process sent a notification.
    func waitForNotification(or descriptor: Int32, atMostMilliseconds limit: Int32) -> Bool {
        if unsafe push_pg_take_notifications(connection) > 0 { return true }
        unsafe _ = push_pg_wait(connection, descriptor, limit)
        return unsafe push_pg_take_notifications(connection) > 0
    }

    // MARK: Transactions

    @_semantics("optimize.sil.specialize.generic.never")
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

    /// Runs a transaction in one round trip. No commands are needed to begin or end the transaction, because
    /// the commands that are queued together form one. ``readsOnly()`` must have been called on the
    /// connection. If the body awaits a second answer, the call fails, because that answer would show a
    /// different state.
    func readOnce<Value>(_ body: () throws -> Value) throws -> Value {
        state = .readingOnce
        defer {
            if hasQueued { _ = try? finish() }
            state = .idle
        }
        return try body()
    }

    /// Ensures that from now on, commands without their own BEGIN change nothing and see a single committed
    /// state.
    func readsOnly() throws {
        try queue("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        try finish()
    }

    /// Awaits the queued commands and commits. If the thrown error is an answer from the server, the
    /// transaction had no effect.
    func commit() throws {
        do {
            try statement("COMMIT").run()
            // COMMIT rolls back a failed transaction without an error.
            guard try finish().tag == "COMMIT" else { throw PostgreSQLError.answer(state: "25P02") }
            state = .idle
        } catch {
            rollBack()
            throw error
        }
    }

    /// Rolls back. If this fails, the transaction ends with the connection.
    private func rollBack() {
        guard isInTransaction else { return }
        state = .idle
        // The queued commands may fail, in which case the server would also skip ROLLBACK.
        if hasQueued { _ = try? finish() }
        guard (try? queue("ROLLBACK")) != nil else { return }
        _ = try? finish()
    }
}

/// The numbers that identify a store's locks in its database.
enum AdvisoryLock {
    /// "PMTA". It forms a pair with the number of the locked object.
    static let store = 0x504D_5441
    /// Held by a writing transaction.
    static let write = "\(store), 1"
    /// Held by the connection of the master that serves the store.
    static let master = "\(store), \(masterNumber)"
    static let masterNumber = 2
}

/// An array of C strings, terminated by a null pointer.
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
