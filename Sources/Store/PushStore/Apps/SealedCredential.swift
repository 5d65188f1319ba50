internal import PushCrypto
internal import PushModel

/// Seals credentials with AES-GCM under the instance's sealing subkey. Each sealed credential is bound to its
/// app: if it is copied to another app's row, it cannot be opened.
enum SealedCredential {
    static func seal(_ credential: OpaqueCredential, of app: AppID, under key: InstanceKey) -> [UInt8] {
        AESGCM.seal(credential.bytes, using: key.sealing, associated: binding(to: app))
    }

    static func open(_ sealed: [UInt8], of app: AppID, under key: InstanceKey) throws -> OpaqueCredential {
        OpaqueCredential(bytes: try AESGCM.open(sealed, using: key.sealing, associated: binding(to: app)))
    }

    private static func binding(to app: AppID) -> [UInt8] { Array("credential of app \(app)".utf8) }
}
