internal import FoundationEssentials
package import PushModel

/// Unseals credentials, to be handed to a child and kept nowhere.
package struct CredentialReader: Sendable {
    let connection: Connection
    let key: InstanceKey

    /// Eight hex digits that tell a credential from others of this instance and lead back to none: the same
    /// for apps that share one.
    package func mark(of credential: OpaqueCredential) -> String { key.mark(of: credential.bytes) }

    /// nil where the app has none, as a stub's has.
    package func credential(of app: AppID) throws(StoreError) -> OpaqueCredential? {
        try connection.read("read a credential") { db in
            guard
                let row = try db.row(
                    sql: "SELECT sealed, name FROM credential JOIN app ON app.id = app_id WHERE app_id = ?1",
                    arguments: [app.rawValue])
            else { return nil }
            do {
                return try SealedCredential.open(Data(row["sealed"] as [UInt8]), of: app, under: key)
            } catch {
                throw StoreError(.credentialUnreadable(app: try row["name"]), path: connection.path)
            }
        }
    }
}
