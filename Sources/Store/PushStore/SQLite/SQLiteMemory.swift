internal import GRDBSQLite

extension Store {
    /// The memory that SQLite uses in this process for all its open stores, in bytes: pages and statements;
    /// `nil` if this store is on a server.
    package var memoryBytes: Int? { engineIsFile ? Int(sqlite3_memory_used()) : nil }
}
