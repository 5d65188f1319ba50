internal import GRDBSQLite

extension Store {
    /// What SQLite holds in this process's memory, of all stores that it has open: pages and statements, in bytes;
    /// nil: this one is on a server.
    package var memoryBytes: Int? { engineIsFile ? Int(sqlite3_memory_used()) : nil }
}
