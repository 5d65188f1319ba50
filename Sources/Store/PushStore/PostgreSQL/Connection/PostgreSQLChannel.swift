/// A connection to a server. If the connection is lost, a new one replaces it.
///
/// **The fence:** used by one thread at a time, which ``ReadPool`` or ``PostgreSQLWriter`` ensures.
final class PostgreSQLChannel: @unchecked Sendable {
    private let server: PostgreSQLServer
    private let timeouts: PostgreSQLServer.Timeouts
    private let identity: IdentityWatch
    private let term: HostTerm?
    /// The name under which the server lists this process.
    let application: String
    private var link: PostgreSQLLink?
    /// The server process of the previous connection.
    private(set) var lastBackend: Int?

    init(
        _ server: PostgreSQLServer, _ timeouts: PostgreSQLServer.Timeouts, application: String,
        _ identity: IdentityWatch, term: HostTerm? = nil
    ) {
        self.term = term
        self.server = server
        self.identity = identity
        self.timeouts = timeouts
        self.application = application
    }

    /// Returns the current connection if it is alive. Otherwise returns a new connection that `greet` has
    /// accepted.
    func connected(greet: (PostgreSQLLink) throws -> Void = { _ in }) throws -> PostgreSQLLink {
        if let link, link.isInTransaction || link.isAlive && !link.isWorn { return link }
        if let link { lastBackend = link.backend }
        link = nil
        let new = try PostgreSQLLink(
            server.parameters(timeouts, application: application, password: try server.password()),
            term: term)
        try new.checkServer()
        try identity.check(new)
        try greet(new)
        link = new
        return new
    }

    /// The current connection, if it is alive.
    var present: PostgreSQLLink? { link.flatMap { $0.isAlive ? $0 : nil } }

    /// The number of round trips of the current connection.
    var journeys: Int { link?.journeys ?? 0 }

    /// The connection if it is in a transaction; otherwise `nil`.
    var linkInTransaction: PostgreSQLLink? { link.flatMap { $0.isInTransaction ? $0 : nil } }

    /// Drops the connection after an error that is not an answer from the server, so that a new connection is
    /// created. Also drops the connection if the server answers that it no longer accepts writes, because
    /// another server may accept them.
    func leave(after error: any Error) {
        guard let error = error as? PostgreSQLError else { return }
        if case .answer(let state) = error, state != "25006" { return }
        if let link { lastBackend = link.backend }
        link = nil
    }
}
