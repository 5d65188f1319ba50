/// Version numbers of the tables, which increase with each change. A store with a higher number is refused; a
/// store with a lower number is brought up to date when it is opened.
package enum StoreSchema {
    /// The number of SQLite's steps, which have no separate version number.
    package static var sqlite: Int { SQLiteSchema.version }
    package static var postgreSQL: Int { PostgreSQLSchema.version }

    /// The last release that updates stores of all earlier releases. This version can open the stores of that
    /// release and of later ones.
    static let migratingRelease = "0.7.0"
}
