internal import PushModel

/// The operations that a database engine provides to a ``Connection``.
protocol EngineConnection: Sendable {
    /// Runs one read transaction: everything in it sees the same committed state. If this connection is
    /// already in a transaction, the read sees what that transaction sees.
    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// Runs one read transaction whose body starts all its statements before it waits for a row of the first
    /// statement. This takes one round trip.
    func readOnce<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// Runs one read transaction after every transaction that this connection ever began has been committed
    /// or can no longer be committed.
    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// Runs one write transaction. A store has one write transaction at a time. An error rolls the whole
    /// transaction back. If this connection is already in a transaction, the write is a part of that
    /// transaction.
    /// - Parameter settles: Within a transaction, whether this call reports its own errors. If not, later
    ///   calls may report them.
    func write<Value>(settles: Bool, _ body: (any Session) throws -> Value) throws -> Value
    /// Prevents all other connections from writing while the body runs. The body changes nothing. A process
    /// that tries to write in the meantime finds the store busy when its waiting time is over.
    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// Runs the body. Everything that it writes through this connection's accessors is one transaction. If
    /// the body changes anything, `note` runs before the commit and returns the group.
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure)
    func storeError(_ error: any Error, during what: String) -> StoreError
    /// The number of rows changed by the largest write transaction so far.
    var largestWrite: Int { get }
    /// The number of times that the connection waited for an answer, if the engine is a server.
    var journeys: Int { get }
}

extension EngineConnection {
    func readOnce<Value>(_ body: (any Session) throws -> Value) throws -> Value { try read(body) }
    var journeys: Int { 0 }
}

/// A connection to a store of any engine, as the store's accessors use it.
final class Connection: Sendable {
    /// The maximum number of rows that one transaction may touch, whether it reads or writes them, so that no
    /// process waits long for another.
    static let maximumRows = 5_000
    /// The maximum number of rows in a chunk. It is lower than ``maximumRows``, so that the chunk's
    /// bookkeeping also fits into the transaction.
    static let chunkRows = maximumRows - 20

    /// The store's name in errors.
    let path: String
    private let engine: any EngineConnection
    /// The relay to which writes are passed; `nil` if this connection performs them itself.
    private let relay: WriteRelay?
    private let direct: Connection?
    /// The line that this connection's writes add to the audit trail.
    private let note: AuditNote?

    init(_ engine: any EngineConnection, path: String) {
        self.path = path
        self.engine = engine
        (relay, direct, note) = (nil, nil, nil)
    }

    /// Creates a connection that differs from the given one only in that its writes go through the relay.
    init(_ connection: Connection, through relay: WriteRelay) {
        path = connection.path
        engine = connection.engine
        self.relay = relay
        direct = connection
        note = nil
    }

    /// The same connection without a line for the audit trail.
    var unnoted: Connection { note == nil ? self : Connection(self, noting: nil) }

    /// Creates the same connection with a line for the audit trail. The first write that changes anything
    /// adds the line.
    init(_ connection: Connection, noting note: AuditNote?) {
        path = connection.path
        engine = connection.engine
        (relay, direct) = (connection.relay, connection.direct)
        self.note = note
    }

    /// Runs one read transaction: everything in it sees the same committed state. Within a group, it sees
    /// what the group sees.
    /// - Parameters:
    ///   - what: Completes "failed to" in an error.
    ///   - delivery: The delivery to which the rows belong. Errors name it.
    func read<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try told(what, delivery) { try engine.read(body) }
    }

    /// Runs one read transaction whose body starts all its statements before it waits for a row of the first
    /// statement. The body must not request anything after that.
    func readOnce<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try told(what, delivery) { try engine.readOnce(body) }
    }

    /// Runs one read transaction after every transaction that this connection ever began has been committed
    /// or can no longer be committed.
    func readSettled<Value>(_ what: String, _ body: (any Session) throws -> Value) throws(StoreError) -> Value
    {
        try told(what, nil) { try engine.readSettled(body) }
    }

    /// Runs one write transaction. An error rolls all of it back. Within a ``group(_:note:)``, it is a part
    /// of the group's transaction, and an error must end that transaction.
    /// - Parameters:
    ///   - delivery: The delivery to which the rows belong. Errors name it.
    ///   - settles: Within a group, whether this call reports its own errors. If not, later calls may report
    ///     them, which costs less.
    @discardableResult
    @_semantics("optimize.sil.specialize.generic.never")
    func write<Value>(
        _ what: String, of delivery: DeliveryID? = nil, settles: Bool = true,
        _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        guard let note, note.isOpen else { return try carryOut(what, of: delivery, settles: settles, body) }
        let (value, isAdded) = try carryOut(what, of: delivery, settles: settles) { db in
            try note.add(to: db, body)
        }
        if isAdded { note.close() }
        return value
    }

    private func carryOut<Value>(
        _ what: String, of delivery: DeliveryID?, settles: Bool, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        if let relay, let direct { return try relay.write(to: direct, what, of: delivery, body) }
        return try told(what, delivery) { try engine.write(settles: settles, body) }
    }

    /// Runs the body. Everything that it writes through this connection's accessors is one transaction. If
    /// the body changes anything, `note` runs before the commit and returns the group.
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        try engine.group(body, note: note)
    }

    /// Prevents all other connections from writing while the body runs. The body reads through this
    /// connection and changes nothing.
    func hold<Value>(_ what: String, _ body: (any Session) throws -> Value) throws(StoreError) -> Value {
        try told(what, nil) { try engine.hold(body) }
    }

    var largestWrite: Int { engine.largestWrite }
    var journeys: Int { engine.journeys }

    private func told<Value>(
        _ what: String, _ delivery: DeliveryID?, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do { return try body() } catch {
            let error = engine.storeError(error, during: what)
            throw delivery.map { error.met(in: $0) } ?? error
        }
    }
}
