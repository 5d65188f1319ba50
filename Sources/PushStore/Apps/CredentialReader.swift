internal import FoundationEssentials
internal import GRDB
package import PushModel

/// Unseals credentials, to be handed to a child and kept nowhere.
package struct CredentialReader: Sendable {
    let connection: Connection
    let key: InstanceKey

    /// Eight hex digits that tell a credential from others of this instance and lead back to none: the same for apps
    /// that share one.
    package func mark(of credential: OpaqueCredential) -> String { key.mark(of: credential.bytes) }

    /// nil where the app has none, as a stub's has.
    package func credential(of app: AppID) throws(StoreError) -> OpaqueCredential? {
        try connection.read("read a credential") { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT sealed, name FROM credential JOIN app ON app.id = app_id WHERE app_id = ?",
                    arguments: [app.rawValue])
            else { return nil }
            do {
                return try SealedCredential.open(row["sealed"], of: app, under: key)
            } catch {
                throw StoreError(.credentialUnreadable(app: row["name"]), path: connection.path)
            }
        }
    }
}
