internal import Crypto
internal import CryptoExtras
package import PushModel

/// Message ids as they are visible externally: the AES-128 encryption of one block that contains the delivery
/// and the message in big-endian order.
///
/// One block under one key needs no mode and no nonce: every input is unique, and equal inputs must produce
/// equal ids on every attempt.
package struct MessageIDCipher: Sendable {
    private let key: SymmetricKey
    private let integerKey: (UInt64, UInt64)

    package init(key: InstanceKey) {
        self.key = key.ids
        integerKey = key.integerIDs
    }

    /// Returns the ids of a delivery's messages in the integer format.
    package func integers(of delivery: DeliveryID) -> IntegerMessageIDs {
        IntegerMessageIDs(of: delivery, under: integerKey)
    }

    /// Returns the same ids for a caller that requests many of them in order.
    package func integerRun(of delivery: DeliveryID) -> IntegerIDRun {
        IntegerIDRun(by: integers(of: delivery))
    }

    package func opaqueID(of message: MessageID, in delivery: DeliveryID) -> OpaqueID {
        let (high, low) = (UInt64(bitPattern: delivery.rawValue), UInt64(bitPattern: message.rawValue))
        let block = transform(high: high, low: low) { bytes, key throws in try AES.permute(&bytes, key: key) }
        return OpaqueID(high: block.high, low: block.low)
    }

    /// Returns the ids of a delivery's messages, for a caller that requests many of them in order.
    package func run(of delivery: DeliveryID) -> OpaqueIDRun { OpaqueIDRun(of: delivery, by: self) }

    /// Computes the ids of this message and of those that follow it, as bytes.
    func encrypt(_ count: Int, from message: MessageID, in delivery: DeliveryID, into ids: inout [UInt8]) {
        let counter = [delivery.rawValue.bigEndian, message.rawValue.bigEndian].flatMap {
            unsafe withUnsafeBytes(of: $0, Array.init)
        }
        let zeros = [UInt8](repeating: 0, count: count * 16)
        ids.removeAll(keepingCapacity: true)
        ids += Self.certainly {
            try AES._CTR.encrypt(zeros, using: key, nonce: AES._CTR.Nonce(nonceBytes: counter))
        }
    }

    /// Returns the row that an id identifies. Any 16 bytes decrypt to some value: look up the row to verify
    /// it.
    package func reveal(_ id: OpaqueID) -> (delivery: DeliveryID, message: MessageID) {
        let block = transform(high: id.high, low: id.low) { bytes, key throws in
            try AES.inversePermute(&bytes, key: key)
        }
        return (
            DeliveryID(rawValue: Int64(bitPattern: block.high)),
            MessageID(rawValue: Int64(bitPattern: block.low))
        )
    }

    private func transform(
        high: UInt64, low: UInt64, by permute: (inout Block, SymmetricKey) throws -> Void
    ) -> (high: UInt64, low: UInt64) {
        var block = Block(words: (high.bigEndian, low.bigEndian))
        Self.certainly { try permute(&block, key) }
        return (UInt64(bigEndian: block.words.0), UInt64(bigEndian: block.words.1))
    }

    /// Runs an encryption that cannot fail. The library refuses only other sizes of key, block and counter.
    /// These sizes are fixed here, so external input cannot cause a failure.
    @inline(__always)
    private static func certainly<Result>(_ encrypt: () throws -> Result) -> Result {
        do { return try encrypt() } catch { preconditionFailure("16 bytes under a key of 16: \(error)") }
    }
}

/// Sixteen bytes on the stack, in the form of the collection that `AES.permute` requires. It is a dedicated
/// type rather than an array or a buffer, because this code runs once for every message. The library's
/// generic code looks up the metadata of a generic type each time, which costs more than the encryption.
private struct Block: RandomAccessCollection, MutableCollection {
    var words: (UInt64, UInt64)

    var startIndex: Int { 0 }
    var endIndex: Int { 16 }

    subscript(index: Int) -> UInt8 {
        get { unsafe Swift.withUnsafeBytes(of: words) { unsafe $0[index] } }
        set { unsafe Swift.withUnsafeMutableBytes(of: &words) { unsafe $0[index] = newValue } }
    }

    mutating func withContiguousMutableStorageIfAvailable<Result>(
        _ body: (inout UnsafeMutableBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe Swift.withUnsafeMutableBytes(of: &words) { raw in
            var bytes = unsafe raw.assumingMemoryBound(to: UInt8.self)
            return unsafe try body(&bytes)
        }
    }
}
