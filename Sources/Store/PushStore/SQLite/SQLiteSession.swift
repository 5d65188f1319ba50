internal import GRDB

/// An SQLite connection within a transaction.
final class SQLiteSession: Session {
    private let db: Database

    init(_ db: Database) { self.db = db }

    func statement(_ sql: String) throws -> any Statement {
        SQLiteStatement(try db.cachedStatement(sql: sql))
    }

    func arrayStatement(_ sql: String) throws -> (any ArrayStatement)? { nil }

    func settle() throws {}

    var totalChanges: Int { db.totalChangesCount }
    var dialect: SQLDialect { .sqlite }
}
