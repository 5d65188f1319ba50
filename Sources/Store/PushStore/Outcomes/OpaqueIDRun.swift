internal import Crypto
internal import CryptoExtras
package import PushModel

/// The ids of one delivery's messages, for a caller that requests one after another. Many ids are computed at
/// once.
///
/// In counter mode, AES turns zeros into the encrypted blocks of a counter and its successors. If the counter
/// consists of the delivery and the message, these blocks are the ids that ``MessageIDCipher`` assigns to the
/// message and to those that follow it.
package struct OpaqueIDRun {
    private let cipher: MessageIDCipher
    private let delivery: DeliveryID
    /// The ids of the messages from ``first`` on, as bytes.
    private var ids: [UInt8] = []
    private var first: Int64 = 0
    private var count = 0

    /// The limits on the number of ids that are computed at once. The number grows with the number of
    /// consecutive messages.
    private static let fewest = 4, most = 256
    /// - Parameter count: The number of ids computed immediately before; 0 if there were none.
    static func nextCount(after count: Int) -> Int { count > 0 ? min(count * 4, most) : fewest }
    private static let idBytes = 16

    init(of delivery: DeliveryID, by cipher: MessageIDCipher) {
        (self.cipher, self.delivery) = (cipher, delivery)
        ids.reserveCapacity(Self.most * Self.idBytes)
    }

    @inline(__always)
    package mutating func id(of message: MessageID) -> OpaqueID {
        let place = message.rawValue &- first
        if place < 0 || place >= Int64(count) { return compute(from: message) }
        return id(at: Int(place))
    }

    private func id(at place: Int) -> OpaqueID {
        unsafe ids.withUnsafeBytes { bytes in
            let start = place * Self.idBytes
            return OpaqueID(
                high: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
                low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
            )
        }
    }

    private mutating func compute(from message: MessageID) -> OpaqueID {
        let follows = count > 0 && message.rawValue == first &+ Int64(count)
        count = Self.nextCount(after: follows ? count : 0)
        first = message.rawValue
        cipher.encrypt(count, from: message, in: delivery, into: &ids)
        return id(at: 0)
    }
}
