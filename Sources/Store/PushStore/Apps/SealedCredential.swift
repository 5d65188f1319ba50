internal import Crypto
internal import FoundationEssentials
internal import PushModel

/// AES-GCM under the instance's sealing subkey, bound to the app: a sealed credential that is copied to
/// another app's row cannot be opened.
enum SealedCredential {
    static func seal(_ credential: OpaqueCredential, of app: AppID, under key: InstanceKey) throws -> Data {
        let box = try AES.GCM.seal(credential.bytes, using: key.sealing, authenticating: binding(to: app))
        // A nonce of the standard size, which seal(_:using:) creates, can always be combined.
        guard let combined = box.combined else { throw UnreadableValue() }
        return combined
    }

    static func open(_ sealed: Data, of app: AppID, under key: InstanceKey) throws -> OpaqueCredential {
        let box = try AES.GCM.SealedBox(combined: sealed)
        return OpaqueCredential(
            bytes: Array(try AES.GCM.open(box, using: key.sealing, authenticating: binding(to: app))))
    }

    private static func binding(to app: AppID) -> [UInt8] { Array("credential of app \(app)".utf8) }
}
