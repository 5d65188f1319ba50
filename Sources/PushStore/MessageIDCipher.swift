internal import Crypto
internal import CryptoExtras
package import PushModel

/// Message ids as the outside sees them: the AES-128 encryption of one block, delivery and message big-endian.
///
/// One block under one key needs no mode and no nonce: every input is unique, and equal inputs must give equal ids on
/// every attempt.
package struct MessageIDCipher: Sendable {
    private let key: SymmetricKey

    package init(key: InstanceKey) { self.key = key.ids }

    package func opaqueID(of message: MessageID, in delivery: DeliveryID) -> OpaqueID {
        let block = unsafe transform(high: UInt64(bitPattern: delivery.rawValue), low: UInt64(bitPattern: message.rawValue)) {
            bytes, key throws in
            unsafe try AES.permute(&bytes, key: key)
        }
        return OpaqueID(high: block.high, low: block.low)
    }

    /// The row that an id names. Any 16 bytes decrypt to something: look the row up to verify.
    package func reveal(_ id: OpaqueID) -> (delivery: DeliveryID, message: MessageID) {
        let block = unsafe transform(high: id.high, low: id.low) { bytes, key throws in
            unsafe try AES.inversePermute(&bytes, key: key)
        }
        return (DeliveryID(rawValue: Int64(bitPattern: block.high)), MessageID(rawValue: Int64(bitPattern: block.low)))
    }

    /// The block lives on the stack: this runs once for every message.
    @inline(__always)
    private func transform(
        high: UInt64, low: UInt64,
        by permute: (inout UnsafeMutableBufferPointer<UInt8>, SymmetricKey) throws -> Void
    ) -> (high: UInt64, low: UInt64) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { raw in
            unsafe raw.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe raw.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            var bytes = unsafe raw.assumingMemoryBound(to: UInt8.self)
            do {
                unsafe try permute(&bytes, key)
            } catch {
                preconditionFailure("a block of 16 bytes under a key of 16: \(error)")
            }
            return unsafe (
                UInt64(bigEndian: raw.load(as: UInt64.self)),
                UInt64(bigEndian: raw.load(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
