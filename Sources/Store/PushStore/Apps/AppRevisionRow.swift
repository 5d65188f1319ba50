internal import FoundationEssentials
internal import PushModel

/// A revision of an app, as stored in its row. A row is inserted and deleted, but never changed.
extension AppRevision {
    init(row: Row) throws {
        try self.init(
            bundleID: row["bundle_id"], format: row["message_id_format"], variables: row["variables"])
    }

    /// - Parameter variables: The variables, in JSON.
    init(bundleID: String, format: String, variables: String) throws {
        guard let format = MessageIDFormat(rawValue: format) else { throw UnreadableValue() }
        self.init(
            bundleID: bundleID, messageIDFormat: format,
            variables: try Self.variableLists.list(from: variables))
    }

    private static let variableLists = DecodedLists { (variable: StoredVariable) in
        AppVariable(
            name: variable.name, defaultValue: variable.value, isOptional: variable.optional ?? false)
    }

    /// Inserts the revision and makes it the app's current one, to which future deliveries are bound.
    func insert(of app: AppID, _ db: any Session) throws -> AppRevisionID {
        let variables = try StoredJSON.encode(
            variables.map {
                StoredVariable(
                    name: $0.name, value: $0.defaultValue, optional: $0.isOptional ? true : nil)
            })
        let id = AppRevisionID(
            rawValue: try db.insert(
                """
                INSERT INTO app_revision (app_id, bundle_id, message_id_format, variables) VALUES (?1, \
                ?2, ?3, ?4)
                """,
                [app.rawValue, bundleID, messageIDFormat.rawValue, variables]))
        try db.execute(
            sql: "UPDATE app SET current_revision = ?1 WHERE id = ?2", arguments: [id.rawValue, app.rawValue])
        return id
    }

    /// Deletes each given revision that neither a delivery nor an app needs. A delivery that has ended still
    /// needs its revisions: its log states what devices received, and its failed messages may be sent again.
    static func deleteUnused(_ revisions: some Sequence<AppRevisionID>, _ db: any Session) throws {
        for revision in revisions {
            try db.execute(
                sql: """
                    DELETE FROM app_revision WHERE id = ?1
                        AND NOT EXISTS (SELECT 1 FROM delivery_app WHERE revision_id = ?1)
                        AND NOT EXISTS (SELECT 1 FROM message_revision WHERE bound_id = ?1)
                        AND NOT EXISTS (SELECT 1 FROM app WHERE id = app_id AND current_revision = ?1)
                    """,
                arguments: [revision.rawValue])
        }
    }
}

private struct StoredVariable: Codable {
    var name: String
    var value: String?
    /// `nil` means false, as in the rows of earlier versions.
    var optional: Bool?
}
