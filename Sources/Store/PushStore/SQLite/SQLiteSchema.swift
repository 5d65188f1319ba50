internal import GRDB

/// The tables in an SQLite file, and the migration of a store of an earlier version to this one.
enum SQLiteSchema {
    /// "PMTA". Distinguishes a store from other SQLite files.
    static let applicationID = 0x504D_5441
    /// "PMTc": an unfinished copy. Earlier versions do not recognise it as a store.
    static let unfinishedCopyID = 0x504D_5463

    /// The steps that led to ``TableSchema/tables``. A store that lacks some of them is too old for this
    /// version; one that has them all is left unchanged. The names of the steps are recorded in a new store,
    /// too, because programs that know these steps know the store's tables.
    static let formerSteps = [
        "1 spine", "2 quarantine", "3 deleted services", "4 write service", "5 app revisions",
        "6 removed subscriptions", "7 preparation turns", "8 plain plans", "9 parts", "10 held verdicts",
        "11 retention", "12 devices", "13 access", "14 single messages", "15 webhooks", "16 stops",
        "17 templates", "18 calendar", "19 app icons", "20 recipients", "21 work changes",
        "22 undeclared parameters, single attempts", "23 trust evidence", lastFormerStep,
    ]
    private static let lastFormerStep = "24 topics of accounts"

    /// Returns the first missing step; `nil` if the store has them all.
    static func missingFormerStep(_ db: any Session, _ steps: Set<String>) throws -> String? {
        if let missing = formerSteps.first(where: { !steps.contains($0) }) { return missing }
        // `old_part` contains the parts that the ninth step could not read or did not reach.
        let names = try db.value(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'old_part'")
        guard names == 1, try db.row(sql: "SELECT id FROM old_part LIMIT 1") != nil else { return nil }
        return "9 parts"
    }

    static var version: Int { formerSteps.count + SchemaStep.all.count }

    static func migrator(isCopy: Bool = false) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(lastFormerStep) { db in
            try db.execute(sql: "PRAGMA application_id = \(isCopy ? unfinishedCopyID : applicationID)")
            for sql in TableSchema.sqlite.tables { try db.execute(sql: sql) }
            for step in formerSteps.dropLast() {
                try db.execute(
                    sql: "INSERT INTO grdb_migrations (identifier) VALUES (?1)", arguments: [step])
            }
        }
        for (index, step) in SchemaStep.all.enumerated() {
            migrator.registerMigration("\(formerSteps.count + 1 + index) \(step.name)") { db in
                for sql in step.statements(.sqlite) { try db.execute(sql: sql) }
            }
        }
        return migrator
    }
}
