internal import PushModel

/// What a database engine gives to a ``Connection``.
protocol EngineConnection: Sendable {
    /// One read transaction: everything in it sees the same committed state. Within a transaction of this
    /// connection, what that sees.
    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// The same for a body that starts all its statements before it waits for a row of the first: one
    /// journey.
    func readOnce<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// The same after everything that this connection ever began is committed or never will be.
    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// One write transaction, of which there is one at a time in a store; an error rolls all of it back.
    /// Within a transaction of this connection it is a part of that.
    /// - Parameter settles: within a transaction, whether its errors are its own, or may come with what
    ///   follows.
    func write<Value>(settles: Bool, _ body: (any Session) throws -> Value) throws -> Value
    /// Keeps all others from writing while the body runs, which changes nothing. Whoever writes meanwhile
    /// finds the store busy at the end of its patience.
    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value
    /// What the body writes through this connection's doors, in one transaction. Where that changed anything,
    /// `note` is run before the commit, and says which group it is.
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure)
    func storeError(_ error: any Error, during what: String) -> StoreError
    /// Rows changed by the largest write transaction so far.
    var largestWrite: Int { get }
    /// How often an answer was waited for, where the engine is a journey away.
    var journeys: Int { get }
}

extension EngineConnection {
    func readOnce<Value>(_ body: (any Session) throws -> Value) throws -> Value { try read(body) }
    var journeys: Int { 0 }
}

/// A connection to a store, of whatever engine, as its doors have it.
final class Connection: Sendable {
    /// What one transaction may touch at most, read or write, so that nobody waits long for anybody.
    static let maximumRows = 5_000
    /// What a chunk may have of them, so that its bookkeeping fits as well.
    static let chunkRows = maximumRows - 20

    /// The store's name in errors.
    let path: String
    private let engine: any EngineConnection
    /// Where writes are led; nil: they are done here.
    private let relay: WriteRelay?
    private let direct: Connection?
    /// The line that its writes add to the audit trail.
    private let note: AuditNote?

    init(_ engine: any EngineConnection, path: String) {
        self.path = path
        self.engine = engine
        (relay, direct, note) = (nil, nil, nil)
    }

    /// The same connection, whose writes go through the relay.
    init(_ connection: Connection, through relay: WriteRelay) {
        path = connection.path
        engine = connection.engine
        self.relay = relay
        direct = connection
        note = nil
    }

    /// The same connection without a line for the audit trail.
    var unnoted: Connection { note == nil ? self : Connection(self, noting: nil) }

    /// The same connection, whose first write that changes anything adds the line to the audit trail.
    init(_ connection: Connection, noting note: AuditNote?) {
        path = connection.path
        engine = connection.engine
        (relay, direct) = (connection.relay, connection.direct)
        self.note = note
    }

    /// One read transaction: everything in it sees the same committed state; within a group, what the group
    /// sees.
    /// - Parameters:
    ///   - what: completes "failed to" in an error.
    ///   - delivery: whose rows they are, for an error.
    func read<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try told(what, delivery) { try engine.read(body) }
    }

    /// The same for a body that starts all its statements before it waits for a row of the first: it may ask
    /// for nothing after that.
    func readOnce<Value>(
        _ what: String, of delivery: DeliveryID? = nil, _ body: (any Session) throws -> Value
    ) throws(StoreError) -> Value {
        try told(what, delivery) { try engine.readOnce(body) }
    }

    /// The same after everything that this connection ever began is committed or never will be.
    func readSettled<Value>(_ what: String, _ body: (any Session) throws -> Value) throws(StoreError) -> Value
    {
        try told(what, nil) { try engine.readSettled(body) }
    }

    /// One write transaction; an error rolls all of it back. Within a ``group(_:note:)`` it is a part of the
    /// group's, which an error of it is to end.
    /// - Parameters:
    ///   - delivery: whose rows they are, for an error.
    ///   - settles: within a group, whether its errors are its own, or may come with what follows: that costs
    ///     less.
    @discardableResult
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

    /// What the body writes through this connection's doors, in one transaction. Where that changed anything,
    /// `note` is run before the commit, and says which group it is.
    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        try engine.group(body, note: note)
    }

    /// Keeps all others from writing while the body runs, which reads through this connection and changes
    /// nothing.
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
