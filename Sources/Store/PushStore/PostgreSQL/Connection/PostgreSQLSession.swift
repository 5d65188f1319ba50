/// A PostgreSQL connection within a transaction.
final class PostgreSQLSession: Session {
    private let link: PostgreSQLLink

    init(_ link: PostgreSQLLink) { self.link = link }

    func statement(_ sql: String) throws -> any Statement { link.statement(sql) }

    func arrayStatement(_ sql: String) throws -> (any ArrayStatement)? { link.statement(sql) }

    func settle() throws {
        if link.hasQueued { try link.finish() }
    }

    var changesCount: Int { link.changes }
    var totalChanges: Int { link.totalChanges }
    var hasQueued: Bool { link.hasQueued }
    var dialect: SQLDialect { .postgreSQL }
    var term: Int64? { link.term?.now }
}
