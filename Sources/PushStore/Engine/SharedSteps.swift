/// Steps from a version of the store to the next that are the same on both engines. A new one is an element here.
enum SharedSteps {
    /// - Parameters:
    ///   - name: in a few words, for the list of migrations.
    ///   - sql: one statement, given the engine's type of a text.
    static let all: [(name: String, sql: @Sendable (_ text: String) -> String)] = [
        ("topics of accounts", { _ in partTopics })
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
