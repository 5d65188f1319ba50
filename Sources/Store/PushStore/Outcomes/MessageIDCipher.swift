internal import PushCrypto
package import PushModel

/// Message ids as they are visible externally: the AES-128 encryption of one block that contains the numbers
/// of the delivery and the message in big-endian order.
///
/// One block under one key needs no mode and no nonce: every input is unique, and equal inputs must produce
/// equal ids on every attempt.
package struct MessageIDCipher: Sendable {
    private let cipher: AESBlockCipher
    private let integerKey: (UInt64, UInt64)

    package init(key: InstanceKey) {
        cipher = AESBlockCipher(key: key.ids)
        integerKey = key.integerIDs
    }

    /// Returns the ids of a delivery's messages in the integer format.
    package func integers(of delivery: DeliveryID) -> IntegerMessageIDs {
        IntegerMessageIDs(of: delivery, under: integerKey)
    }

    /// Returns the integer ids of a delivery's messages, for a caller that requests many of them in order.
    package func integerRun(of delivery: DeliveryID) -> IntegerIDRun {
        IntegerIDRun(by: integers(of: delivery))
    }

    package func opaqueID(of message: MessageID, in delivery: DeliveryID) -> OpaqueID {
        OpaqueID(cipher.encrypt(Self.block(of: message, in: delivery)))
    }

    /// Returns the ids of a delivery's messages, for a caller that requests many of them in order.
    package func run(of delivery: DeliveryID) -> OpaqueIDRun { OpaqueIDRun(of: delivery, by: cipher) }

    static func block(of message: MessageID, in delivery: DeliveryID) -> AESBlockCipher.Block {
        AESBlockCipher.Block(
            high: UInt64(bitPattern: delivery.rawValue), low: UInt64(bitPattern: message.rawValue))
    }

    /// Returns the delivery and the message that an id identifies. Any 16 bytes decrypt to some value: look
    /// up the message to verify it.
    package func reveal(_ id: OpaqueID) -> (delivery: DeliveryID, message: MessageID) {
        let block = cipher.decrypt(AESBlockCipher.Block(high: id.high, low: id.low))
        return (
            DeliveryID(rawValue: Int64(bitPattern: block.high)),
            MessageID(rawValue: Int64(bitPattern: block.low))
        )
    }

    /// Returns the messages whose ids have this form in `apns-id`, which replaces six bits of an id
    /// (``PushModel/OpaqueID/asUUIDv8``). Almost always, only one of the 64 possible ids has valid numbers;
    /// look up the messages to verify them.
    package func reveal(apnsID id: OpaqueID) -> [(delivery: DeliveryID, message: MessageID)] {
        guard id == id.asUUIDv8 else { return [] }
        return (0..<64 as Range<UInt64>).compactMap { bits in
            let found = reveal(
                OpaqueID(
                    high: id.high & ~0xF000 | (bits & 0xF) << 12,
                    low: id.low & ~(3 << 62) | (bits >> 4) << 62))
            let isValid = (1..<1 << 31).contains(found.delivery.rawValue) && found.message.rawValue > 0
            return isValid ? found : nil
        }
    }
}

extension OpaqueID {
    @inline(__always)
    init(_ block: AESBlockCipher.Block) { self.init(high: block.high, low: block.low) }
}
