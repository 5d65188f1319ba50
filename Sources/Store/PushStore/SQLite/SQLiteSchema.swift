internal import GRDB

/// The tables in a file of SQLite's, and how a store of an earlier version becomes one of this.
enum SQLiteSchema {
    /// "PMTA": tells a store from any other SQLite file.
    static let applicationID = 0x504D_5441
    /// "PMTc": a copy that is not finished. Earlier versions see no store in it.
    static let unfinishedCopyID = 0x504D_5463

    /// The steps that led to ``TableSchema/tables``. A store that lacks some of them is of a version whose
    /// stores this one does not know; one that has them all is left as it is. A new store gets their names,
    /// too: programs that know these steps know its tables.
    static let formerSteps = [
        "1 spine", "2 quarantine", "3 deleted services", "4 write service", "5 app revisions",
        "6 removed subscriptions", "7 preparation turns", "8 plain plans", "9 parts", "10 held verdicts",
        "11 retention", "12 devices", "13 access", "14 single messages", "15 webhooks", "16 stops",
        "17 templates", "18 calendar", "19 app icons", "20 recipients", "21 work changes",
        "22 undeclared parameters, single attempts", "23 trust evidence", lastFormerStep,
    ]
    private static let lastFormerStep = "24 topics of accounts"

    /// nil: the store has them all.
    static func missingFormerStep(_ db: any Session, _ steps: Set<String>) throws -> String? {
        if let missing = formerSteps.first(where: { !steps.contains($0) }) { return missing }
        // Parts that the ninth step could not read, or did not come to.
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
