internal import PushModel

/// The message ids of one delivery as integers from 1 to 2³¹ − 1: each message's number within the delivery,
/// encrypted.
///
/// The documentation's samples parse an id as 32 bits with a sign, so there is no room for anything but the
/// number, and none for a check of it: an id that somebody made up is that of a message with the probability
/// of the delivery's size ÷ 2³¹. What the encryption gives is that ids tell nothing of how many messages there
/// are, and that none leads to the next.
///
/// A Feistel network of 15 and 16 bits by turns, whose round function is SipHash-1-3 under a subkey of the
/// instance, with the delivery, the round and the other half as its input. So it is a permutation of the 31
/// bits, another one for each delivery. The number 0 is no message's; what would become 0 goes through it
/// once more, so that the ids 1…2³¹ − 1 stand for the numbers 1…2³¹ − 1. Of larger numbers the low 31 bits
/// count: a delivery of more messages would give ids twice.
package struct IntegerMessageIDs: Sendable {
    /// The state of SipHash after key and delivery.
    private let keyed: SipState

    init(of delivery: DeliveryID, under key: (UInt64, UInt64)) {
        var state = SipState(key: key)
        state.absorb(UInt64(bitPattern: delivery.rawValue))
        keyed = state
    }

    /// - Parameter number: within the delivery, from 1.
    package func id(of number: Int64) -> Int64 {
        let id = encrypt(UInt32(truncatingIfNeeded: number) & Self.mask)
        return Int64(id == 0 ? encrypt(0) : id)
    }

    /// The number within the delivery that an id names; nil: none has it. Whether there is such a message
    /// must be looked up.
    package func number(of id: Int64) -> Int64? {
        guard (1...Int64(Self.mask)).contains(id) else { return nil }
        let number = decrypt(UInt32(truncatingIfNeeded: id))
        return Int64(number == 0 ? decrypt(0) : number)
    }

    private static let mask: UInt32 = 0x7FFF_FFFF
    private static let left: UInt32 = 0x7FFF
    private static let right: UInt32 = 0xFFFF
    /// Half of them change either half.
    private static let rounds: UInt32 = 8

    private func encrypt(_ value: UInt32) -> UInt32 {
        var (high, low) = (value >> 16, value & Self.right)
        var round: UInt32 = 0
        while round < Self.rounds {
            high ^= word(round, low) & Self.left
            low ^= word(round &+ 1, high) & Self.right
            round &+= 2
        }
        return high << 16 | low
    }

    private func decrypt(_ value: UInt32) -> UInt32 {
        var (high, low) = (value >> 16, value & Self.right)
        var round = Self.rounds
        while round > 0 {
            round &-= 2
            low ^= word(round &+ 1, high) & Self.right
            high ^= word(round, low) & Self.left
        }
        return high << 16 | low
    }

    private func word(_ round: UInt32, _ half: UInt32) -> UInt32 {
        var state = keyed
        state.absorb(UInt64(round) << 32 | UInt64(half))
        return UInt32(truncatingIfNeeded: state.finish())
    }
}

/// SipHash-1-3 (Aumasson, Bernstein) of whole words. Its input is always two of them here, so the length is
/// not added to it.
private struct SipState: Sendable {
    private var (v0, v1, v2, v3): (UInt64, UInt64, UInt64, UInt64)

    init(key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736F_6D65_7073_6575
        v1 = key.1 ^ 0x646F_7261_6E64_6F6D
        v2 = key.0 ^ 0x6C79_6765_6E65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        mix()
        v0 ^= word
    }

    @inline(__always)
    mutating func finish() -> UInt64 {
        v2 ^= 0xFF
        mix()
        mix()
        mix()
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func mix() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
