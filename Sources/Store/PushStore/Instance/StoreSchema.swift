/// Numbers of the tables' shape, which each change of it raises: a store of a higher one is refused, a store of
/// a lower one is brought up to date when it is opened.
package enum StoreSchema {
    /// SQLite's migrations, which have no number of their own.
    package static let sqlite = SharedSteps.firstOnSQLite + SharedSteps.all.count - 1
    package static var postgreSQL: Int { PostgreSQLSchema.version }
}
