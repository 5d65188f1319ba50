/// What a store takes, as the store itself says it.
package struct StoreSize: Codable, Equatable, Sendable {
    /// Of the database: of SQLite's file, or of the tables and indexes on a server.
    package var bytes = 0
    /// Of these, what holds nothing and is used before the database grows; nil: a server does not say.
    package var freeBytes: Int?
    /// What the disk has left for it, as this user may have it; nil: a server's is not known.
    package var diskFreeBytes: Int?
    /// Of SQLite's log beside it; 0 on a server.
    package var logBytes = 0
    /// What a million messages take with their notes, as the newest do; nil where there are none.
    package var bytesPerMillionMessages: Int?

    package init() {}
}
