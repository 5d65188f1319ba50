internal import PushCrypto

/// Encrypts values that a browser keeps for the service. All processes of the instance can decrypt them, also
/// after a restart.
package struct BrowserSeal: Sendable {
    private let key: SymmetricKey
    private let purpose: [UInt8]

    /// - Parameter purpose: Values that are sealed for one purpose cannot be opened for another.
    package init(_ key: InstanceKey, purpose: String) {
        self.key = HKDFSHA256.key(from: key.sealing, info: Array("PushMTA browser".utf8), count: 32)
        self.purpose = Array(purpose.utf8)
    }

    package func seal(_ bytes: [UInt8]) -> [UInt8] {
        AESGCM.seal(bytes, using: key, associated: purpose)
    }

    /// - Returns: `nil` if this instance has not sealed the value for this purpose.
    package func open(_ box: [UInt8]) -> [UInt8]? {
        try? AESGCM.open(box, using: key, associated: purpose)
    }
}
