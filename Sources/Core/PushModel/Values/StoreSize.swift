/// The size of a store, as the store itself reports it.
package struct StoreSize: Codable, Equatable, Sendable {
    /// The size of the database: of SQLite's file, or of the tables and indexes on a server.
    package var bytes = 0
    /// The part of ``bytes`` that is empty and is used before the database grows; `nil` for a server, which
    /// does not report it.
    package var freeBytes: Int?
    /// The space on the store's disk that is available to this user; `nil` for a server, whose disk is not
    /// known.
    package var diskFreeBytes: Int?
    /// The size of SQLite's log next to the database; 0 for a server.
    package var logBytes = 0
    /// The size of a million messages, including the details that are kept for some of them (`PartNote`). It
    /// is estimated from the newest messages; `nil` if there are no messages.
    package var bytesPerMillionMessages: Int?

    package init() {}
}
