internal import Crypto
internal import FoundationEssentials

/// A webhook's secret, encrypted with the instance's sealing subkey and bound to the webhook. If it is copied
/// to another webhook's row, it cannot be decrypted.
enum SealedSecret {
    static func seal(_ secret: [UInt8], of webhook: String, under key: InstanceKey) throws -> [UInt8] {
        let box = try AES.GCM.seal(secret, using: key.sealing, authenticating: binding(to: webhook))
        // A nonce of the standard size, which seal(_:using:) creates, can always be combined.
        guard let combined = box.combined else { throw UnreadableValue() }
        return Array(combined)
    }

    static func open(_ sealed: [UInt8], of webhook: String, under key: InstanceKey) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(combined: sealed)
        return Array(try AES.GCM.open(box, using: key.sealing, authenticating: binding(to: webhook)))
    }

    private static func binding(to webhook: String) -> [UInt8] { Array("secret of webhook \(webhook)".utf8) }
}
