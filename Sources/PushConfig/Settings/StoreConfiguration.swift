/// Where everything is kept: `shared/dataStore/dataSource/dbcnx` of the data source named `default`.
package struct StoreConfiguration: Equatable, Sendable {
    /// SQLite needs no server and no account, which is what a newcomer has.
    package var provider = StoreProvider.sqlite
    /// The database file (`@server`). Beside it lie its locks and the socket that wakes the master, so its folder is
    /// the instance's home.
    package var path = "var/pushmta.db"

    package init() {}
}

/// Database engines that this version can keep its store in.
package enum StoreProvider: String, Sendable, CaseIterable {
    case sqlite = "SQLite"

    /// Drawn into the design, not built.
    static let planned = ["PostgreSQL"]
    /// Names that Campaign writes; it takes Oracle where none is given.
    static let campaignDefault = "Oracle"
}
