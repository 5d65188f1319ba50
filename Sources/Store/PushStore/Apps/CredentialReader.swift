package import PushModel

/// Unseals credentials so that they can be passed to a child. Unsealed credentials are never stored.
package struct CredentialReader: Sendable {
    let connection: Connection
    let key: InstanceKey

    /// Returns eight hexadecimal digits that distinguish a credential from the instance's other credentials
    /// but do not reveal it. Apps that share a credential have the same digits.
    package func mark(of credential: OpaqueCredential) -> String { key.mark(of: credential.bytes) }

    /// Returns the credential; `nil` if the app has none, for example because its connector is a stub.
    package func credential(of app: AppID) throws(StoreError) -> OpaqueCredential? {
        try connection.read("read a credential") { db in
            guard
                let row = try db.row(
                    sql: "SELECT sealed, name FROM credential JOIN app ON app.id = app_id WHERE app_id = ?1",
                    arguments: [app.rawValue])
            else { return nil }
            do {
                return try SealedCredential.open(row["sealed"], of: app, under: key)
            } catch {
                throw StoreError(.credentialUnreadable(app: try row["name"]), path: connection.path)
            }
        }
    }
}
