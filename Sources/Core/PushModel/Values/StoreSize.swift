/// What a store takes, as the store itself says it.
package struct StoreSize: Codable, Equatable, Sendable {
    /// The size of the database: of SQLite's file, or of the tables and indexes on a server.
    package var bytes = 0
    /// The part of ``bytes`` that is empty and is used before the database grows; nil: a server does not report it.
    package var freeBytes: Int?
    /// The space on its disk that is left to this user; nil: a server's disk is not known.
    package var diskFreeBytes: Int?
    /// The size of SQLite's log beside the database; 0 on a server.
    package var logBytes = 0
    /// What a million messages take with their notes, estimated from the newest ones; nil if there are none.
    package var bytesPerMillionMessages: Int?

    package init() {}
}
