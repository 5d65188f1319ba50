/// Steps from a version of the store to the next that are the same on both engines. A new one is an element here.
enum SharedSteps {
    struct Step {
        /// A few words, for SQLite's list of migrations.
        let name: String
        /// A column that the step adds, as `table.column`, if builds without it need not know of it: their statements
        /// name neither it nor its table. PostgreSQL gets such a column or table while hosts of an earlier build send, and
        /// keeps its version, so that a rolling upgrade brings it.
        let addition: String?
        /// Statements, in the engine's words.
        let sql: @Sendable (Words) -> [String]
    }

    /// What the engines call differently.
    struct Words {
        let text: String
        let integer: String
        /// The type of an id that the engine assigns.
        let number: String
        /// The end of `CREATE TABLE`.
        let tableEnd: String

        static let sqlite = Words(
            text: "TEXT", integer: "INTEGER", number: "INTEGER PRIMARY KEY AUTOINCREMENT",
            tableEnd: ") STRICT")
        static let postgreSQL = Words(
            text: PostgreSQLSchema.text, integer: "BIGINT", number: PostgreSQLSchema.number, tableEnd: ")")
    }

    static let all = [
        Step(name: "topics of accounts", addition: nil) { _ in [partTopics] },
        Step(name: "descriptions of services", addition: "service.description") {
            ["ALTER TABLE service ADD COLUMN description \($0.text)"]
        },
        Step(name: "jobs", addition: "job.id") { JobRow.table($0) },
    ]

    static let firstOnSQLite = 24
    static let firstOnPostgreSQL = 29

    /// Names the topic in the mark of each app's part of an account, as `AccountKey.part(of:topic:)` does: until then a
    /// part was that of the app's present topic, and a changed bundle id gave it the verdicts of the former one.
    private static let partTopics = """
        UPDATE account_trust SET mark = mark || ' topic ' || (
            SELECT r.bundle_id FROM app a JOIN app_revision r ON r.id = a.current_revision
            WHERE account_trust.mark LIKE '% app ' || a.id)
        WHERE EXISTS (
            SELECT 1 FROM app a JOIN app_revision r ON r.id = a.current_revision
            WHERE account_trust.mark LIKE '% app ' || a.id AND r.bundle_id <> '')
        """
}
