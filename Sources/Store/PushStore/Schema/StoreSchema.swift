/// Numbers of the tables' shape, which each change of it raises: a store of a higher one is refused, a store
/// of a lower one is brought up to date when it is opened.
package enum StoreSchema {
    /// SQLite's steps, which have no number of their own.
    package static var sqlite: Int { SQLiteSchema.version }
    package static var postgreSQL: Int { PostgreSQLSchema.version }

    /// The last release that brings stores of any earlier one up to date. This one knows the stores of that
    /// release and of later ones.
    static let migratingRelease = "0.7.0"
}
