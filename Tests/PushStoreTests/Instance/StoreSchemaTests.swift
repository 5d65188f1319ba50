import GRDB
import PushStore
import TestSupport
import Testing

struct StoreSchemaTests {
    @Test func `the schema number of a SQLite store is the number of its last migration`() throws {
        let migrations = try TemporaryFolder.with { folder in
            _ = try Store.open(path: folder + "/pushmta.db")
            return try StoreFile.open(folder + "/pushmta.db").read {
                try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations")
            }
        }
        #expect(migrations.count == StoreSchema.sqlite)
        #expect(migrations.contains { $0.hasPrefix("\(StoreSchema.sqlite) ") })
    }
}
