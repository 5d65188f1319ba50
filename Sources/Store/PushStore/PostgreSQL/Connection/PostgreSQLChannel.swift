/// Keeps a connection to a server, and makes another where it is lost.
///
/// **The fence:** used by one thread at a time, which ``ReadPool`` or ``PostgreSQLWriter`` see to.
final class PostgreSQLChannel: @unchecked Sendable {
    private let server: PostgreSQLServer
    private let patience: PostgreSQLServer.Patience
    private let identity: IdentityWatch
    private let term: HostTerm?
    /// What the server shows of this process to whoever asks it.
    let application: String
    private var link: PostgreSQLLink?
    /// The server's process of the connection that was there before.
    private(set) var lastBackend: Int?

    init(
        _ server: PostgreSQLServer, _ patience: PostgreSQLServer.Patience, application: String,
        _ identity: IdentityWatch, term: HostTerm? = nil
    ) {
        self.term = term
        self.server = server
        self.identity = identity
        self.patience = patience
        self.application = application
    }

    /// The connection where it is alive, else a new one, when `greet` has found it good.
    func connected(greet: (PostgreSQLLink) throws -> Void = { _ in }) throws -> PostgreSQLLink {
        if let link, link.isInTransaction || link.isAlive && !link.isWorn { return link }
        if let link { lastBackend = link.backend }
        link = nil
        let new = try PostgreSQLLink(
            server.parameters(patience, application: application, password: try server.password()),
            term: term)
        try new.checkServer()
        try identity.check(new)
        try greet(new)
        link = new
        return new
    }

    /// The present connection, if it is alive.
    var present: PostgreSQLLink? { link.flatMap { $0.isAlive ? $0 : nil } }

    /// Of the present connection.
    var journeys: Int { link?.journeys ?? 0 }

    /// The connection within its transaction; nil: there is none.
    var linkInTransaction: PostgreSQLLink? { link.flatMap { $0.isInTransaction ? $0 : nil } }

    /// To be made anew: where a server writes no more, another may.
    func leave(after error: any Error) {
        guard let error = error as? PostgreSQLError else { return }
        if case .answer(let state) = error, state != "25006" { return }
        if let link { lastBackend = link.backend }
        link = nil
    }
}
