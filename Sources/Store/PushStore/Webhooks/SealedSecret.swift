internal import PushCrypto

/// A webhook's secret, encrypted with the instance's sealing subkey and bound to the webhook. If it is copied
/// to another webhook's row, it cannot be decrypted.
enum SealedSecret {
    static func seal(_ secret: [UInt8], of webhook: String, under key: InstanceKey) -> [UInt8] {
        AESGCM.seal(secret, using: key.sealing, associated: binding(to: webhook))
    }

    static func open(_ sealed: [UInt8], of webhook: String, under key: InstanceKey) throws -> [UInt8] {
        try AESGCM.open(sealed, using: key.sealing, associated: binding(to: webhook))
    }

    private static func binding(to webhook: String) -> [UInt8] { Array("secret of webhook \(webhook)".utf8) }
}
