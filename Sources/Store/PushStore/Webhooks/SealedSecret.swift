internal import Crypto
internal import FoundationEssentials

/// A webhook's secret under the instance's sealing subkey, bound to the webhook: copied to another one's row
/// it does not open.
enum SealedSecret {
    static func seal(_ secret: [UInt8], of webhook: String, under key: InstanceKey) throws -> [UInt8] {
        let box = try AES.GCM.seal(secret, using: key.sealing, authenticating: binding(to: webhook))
        // A nonce of the standard size, which seal(_:using:) makes, always combines.
        guard let combined = box.combined else { throw UnreadableValue() }
        return Array(combined)
    }

    static func open(_ sealed: [UInt8], of webhook: String, under key: InstanceKey) throws -> [UInt8] {
        let box = try AES.GCM.SealedBox(combined: sealed)
        return Array(try AES.GCM.open(box, using: key.sealing, authenticating: binding(to: webhook)))
    }

    private static func binding(to webhook: String) -> [UInt8] { Array("secret of webhook \(webhook)".utf8) }
}
