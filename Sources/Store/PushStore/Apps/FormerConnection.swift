package import PushModel

/// The connection that an app had before its connector or its credential was last changed. An operator can
/// switch the app back to it. Each app has at most one: the next change replaces it.
package struct FormerConnection: Equatable, Sendable {
    package var connector: ConnectorName
    package var environment: PushEnvironment
    package var bundleID: String
    package var credentialIdentity: String
    package var replacedAt: WallTime

    fileprivate static let selection = """
        SELECT connector, environment, bundle_id, credential_identity, replaced_at, sealed
        FROM former_connection WHERE app_id = ?1
        """

    fileprivate init(row: Row) throws {
        guard let environment = PushEnvironment(rawValue: try row["environment"]) else {
            throw UnreadableValue()
        }
        self.environment = environment
        connector = ConnectorName(rawValue: try row["connector"])
        bundleID = try row["bundle_id"]
        credentialIdentity = try row["credential_identity"]
        replacedAt = WallTime(secondsSince1970: try row["replaced_at"])
    }
}

extension Catalogue {
    /// Returns an app's former connection without its credential; `nil` if the app has none.
    package func formerConnection(of app: AppID) throws(StoreError) -> FormerConnection? {
        try connection.read("read a former connection") { db in
            try db.row(sql: FormerConnection.selection, arguments: [app.rawValue])
                .map { try FormerConnection(row: $0) }
        }
    }
}

extension CredentialReader {
    /// Returns an app's former connection and its credential, which is `nil` if the connection had none;
    /// `nil` if the app has no former connection.
    package func formerConnection(
        of app: App
    ) throws(StoreError) -> (connection: FormerConnection, credential: OpaqueCredential?)? {
        try connection.read("read a former connection") { db in
            let row = try db.row(sql: FormerConnection.selection, arguments: [app.id.rawValue])
            guard let row else { return nil }
            let former = try FormerConnection(row: row)
            let stored: [UInt8]? = try row["sealed"]
            guard let sealed = stored else { return (former, nil) }
            do {
                return (former, try SealedCredential.open(sealed, of: app.id, under: key))
            } catch {
                throw StoreError(.credentialUnreadable(app: app.name), path: connection.path)
            }
        }
    }
}

extension CatalogueWriter {
    /// Stores an app's present connection as its former one if the new settings have another connector, or if
    /// the app gets another credential. A credential that equals the present one changes nothing, so it does
    /// not replace the former connection.
    func keepFormerConnection(
        of present: App, replacedBy settings: AppSettings, _ credential: OpaqueCredential?, _ db: any Session
    ) throws {
        let sealed = try db.value(
            [UInt8].self, sql: "SELECT sealed FROM credential WHERE app_id = ?1",
            arguments: [present.id.rawValue])
        let isReplaced =
            credential.map { credential in
                let opened = sealed.flatMap { try? SealedCredential.open($0, of: present.id, under: key) }
                return opened != credential
            } ?? false
        guard isReplaced || settings.connector != present.settings.connector else { return }
        try db.execute(
            sql: """
                INSERT INTO former_connection
                    (app_id, connector, environment, bundle_id, credential_identity, sealed, replaced_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (app_id) DO UPDATE SET connector = excluded.connector,
                    environment = excluded.environment, bundle_id = excluded.bundle_id,
                    credential_identity = excluded.credential_identity, sealed = excluded.sealed,
                    replaced_at = excluded.replaced_at
                """,
            arguments: [
                present.id.rawValue, present.settings.connector.rawValue,
                present.settings.environment.rawValue, present.settings.bundleID,
                present.settings.credentialIdentity, sealed, Self.nowSeconds,
            ])
    }
}
