/// A reader of a store on PostgreSQL. As long as there are few reads, each read has a separate connection and
/// does not wait for other reads.
final class PostgreSQLReader: EngineConnection {
    private let pool: ReadPool<PostgreSQLChannel>
    private let place: String

    /// Connects once, so that a problem becomes visible immediately.
    init(
        _ server: PostgreSQLServer, _ timeouts: PostgreSQLServer.Timeouts, application: String,
        _ identity: IdentityWatch, term: HostTerm? = nil,
        atOnce: Int
    ) throws {
        place = server.place
        pool = try ReadPool(atMost: atOnce) {
            let channel = PostgreSQLChannel(
                server, timeouts, application: application, identity, term: term)
            _ = try channel.connected { try $0.readsOnly() }
            return channel
        }
    }

    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try use { link in try link.transaction(.read) { try body(PostgreSQLSession(link)) } }
    }

    func readOnce<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try use { link in try link.readOnce { try body(PostgreSQLSession(link)) } }
    }

    private func use<Value>(_ body: (PostgreSQLLink) throws -> Value) throws -> Value {
        try pool.use { channel in
            do {
                return try body(try channel.connected { try $0.readsOnly() })
            } catch {
                channel.leave(after: error)
                throw error
            }
        }
    }

    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value { try read(body) }

    /// A reader does not support writes.
    func write<Value>(settles: Bool, _ body: (any Session) throws -> Value) throws -> Value {
        throw StoreError(.unwritable, path: place)
    }

    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try write(settles: true, body)
    }

    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        throw TransactionFailure(StoreError(.unwritable, path: place), mayBeCommitted: false)
    }

    func storeError(_ error: any Error, during what: String) -> StoreError {
        StoreError(postgreSQL: error, during: what, place: place)
    }

    var largestWrite: Int { 0 }
    /// The number of round trips, if there is only one connection.
    var journeys: Int { (try? pool.use { $0.journeys }) ?? 0 }
}
