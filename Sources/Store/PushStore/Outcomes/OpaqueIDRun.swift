internal import PushCrypto
package import PushModel

/// The ids of one delivery's messages, for a caller that requests one after another. Many ids are computed at
/// once: a processor encrypts independent blocks in parallel.
package struct OpaqueIDRun {
    private let cipher: AESBlockCipher
    private let delivery: DeliveryID
    /// The ids of the messages from ``first`` on.
    private var ids: [AESBlockCipher.Block] = []
    private var first: Int64 = 0

    /// The limits on the number of ids that are computed at once. The number grows with the number of
    /// consecutive messages.
    private static let fewest = 4, most = 256
    /// - Parameter count: The number of ids computed immediately before; 0 if there were none.
    static func nextCount(after count: Int) -> Int { count > 0 ? min(count * 4, most) : fewest }

    init(of delivery: DeliveryID, by cipher: AESBlockCipher) {
        (self.cipher, self.delivery) = (cipher, delivery)
        ids.reserveCapacity(Self.most)
    }

    @inline(__always)
    package mutating func id(of message: MessageID) -> OpaqueID {
        let place = message.rawValue &- first
        if place < 0 || place >= Int64(ids.count) { return compute(from: message) }
        return OpaqueID(ids[Int(place)])
    }

    private mutating func compute(from message: MessageID) -> OpaqueID {
        let follows = !ids.isEmpty && message.rawValue == first &+ Int64(ids.count)
        let count = Self.nextCount(after: follows ? ids.count : 0)
        first = message.rawValue
        cipher.encrypt(count, from: MessageIDCipher.block(of: message, in: delivery), into: &ids)
        return OpaqueID(ids[0])
    }
}
