internal import CPushShims
package import PushModel

/// The message ids of one delivery as integers from 1 to 2³¹ − 1: the encrypted number of each message within
/// the delivery.
///
/// The documentation's samples parse an id as a signed 32-bit integer, so there is room only for the number
/// and none for a check value. The probability that an invented id belongs to an existing message is the
/// delivery's size ÷ 2³¹. The encryption ensures that ids reveal nothing about the number of messages, and
/// that the next id cannot be derived from a known one.
///
/// The cipher is a Feistel network whose left half has 15 bits and whose right half has 16. Its round
/// function is SipHash-1-3 under a subkey of the instance; the input of the function consists of the
/// delivery, the round and the half that the round does not change. The cipher is therefore a permutation of
/// the 31 bits that differs for each delivery. No message has the number 0. If encrypting a number results in
/// 0, that 0 is encrypted once more, so that ids and numbers have the same range. Only the low 31 bits of a
/// number are encrypted, so a delivery with more than 2³¹ − 1 messages would assign some ids twice.
package struct IntegerMessageIDs: Sendable {
    /// The SipHash state after the key and the delivery have been processed.
    private let keyed: (UInt64, UInt64, UInt64, UInt64)

    package init(of delivery: DeliveryID, under key: (UInt64, UInt64)) {
        var state: [UInt64] = [0, 0, 0, 0]
        unsafe push_sip_start(&state, key.0, key.1, UInt64(bitPattern: delivery.rawValue))
        keyed = (state[0], state[1], state[2], state[3])
    }

    /// - Parameter number: The number within the delivery, starting at 1.
    package func id(of number: Int64) -> Int64 {
        var lanes = Lanes()
        encrypt(1, from: number, in: &lanes)
        return Int64(lanes.values[0])
    }

    /// Returns the number within the delivery that an id represents; `nil` if no number has this id. The
    /// caller must look up whether the message exists.
    package func number(of id: Int64) -> Int64? {
        guard (1...Int64(Self.mask)).contains(id) else { return nil }
        let number = decrypt(UInt32(truncatingIfNeeded: id))
        return Int64(number == 0 ? decrypt(0) : number)
    }

    /// Values that are encrypted together, and a buffer for the round function's inputs and results.
    struct Lanes: Sendable {
        fileprivate(set) var values: [UInt32] = []
        private var words: [UInt64] = []

        mutating func fill(_ count: Int, from first: Int64) {
            if words.count != count { words = [UInt64](repeating: 0, count: count) }
            values.removeAll(keepingCapacity: true)
            for place in 0..<count {
                values.append(UInt32(truncatingIfNeeded: first &+ Int64(place)) & IntegerMessageIDs.mask)
            }
        }

        /// Performs one round, which is its own inverse. Even rounds change the left halves; odd rounds
        /// change the right halves.
        mutating func turn(_ round: UInt32, _ keyed: (UInt64, UInt64, UInt64, UInt64)) {
            Self.turn(round, keyed, &values, &words)
        }

        private static func turn(
            _ round: UInt32, _ keyed: (UInt64, UInt64, UInt64, UInt64), _ values: inout [UInt32],
            _ words: inout [UInt64]
        ) {
            let changesLeft = round % 2 == 0
            // Spans are used because an array would check for each element whether its storage is shared.
            var asked = words.mutableSpan
            for place in asked.indices {
                let half = changesLeft ? values[place] & IntegerMessageIDs.right : values[place] >> 16
                asked[place] = UInt64(round) << 32 | UInt64(half)
            }
            // Unsafe: C reads four words of state, and reads and writes `words.count` words.
            unsafe withUnsafeBytes(of: keyed) { state in
                let state = unsafe state.assumingMemoryBound(to: UInt64.self)
                if let start = state.baseAddress { unsafe push_sip_finish(start, &words, words.count) }
            }
            var changed = values.mutableSpan
            for place in changed.indices {
                let word = UInt32(truncatingIfNeeded: words[place])
                changed[place] ^=
                    changesLeft ? word << 16 & IntegerMessageIDs.left : word & IntegerMessageIDs.right
            }
        }
    }

    private static let mask: UInt32 = 0x7FFF_FFFF
    private static let left: UInt32 = 0x7FFF_0000
    private static let right: UInt32 = 0xFFFF
    /// The number of rounds. Each half of a value is changed in half of the rounds.
    private static let rounds: UInt32 = 8

    /// Computes the ids of `count` consecutive message numbers. Computing many at once takes a quarter of the
    /// time of computing them one by one.
    func encrypt(_ count: Int, from first: Int64, in lanes: inout Lanes) {
        lanes.fill(count, from: first)
        for round in 0..<Self.rounds { lanes.turn(round, keyed) }
        for place in lanes.values.indices where lanes.values[place] == 0 {
            var again = Lanes()
            encrypt(1, from: 0, in: &again)
            lanes.values[place] = again.values[0]
        }
    }

    private func decrypt(_ value: UInt32) -> UInt32 {
        var lanes = Lanes()
        lanes.fill(1, from: Int64(value))
        for round in (0..<Self.rounds).reversed() { lanes.turn(round, keyed) }
        return lanes.values[0]
    }
}

/// The integer ids of a delivery's messages, for a caller that requests many of them in order. The ids are
/// computed in batches, which grow as long as the requested numbers are consecutive.
package struct IntegerIDRun {
    private let cipher: IntegerMessageIDs
    /// The ids of the numbers from ``first`` on.
    private var lanes = IntegerMessageIDs.Lanes()
    private var first: Int64 = 0

    init(by cipher: IntegerMessageIDs) { self.cipher = cipher }

    /// - Parameter number: The number within the delivery, starting at 1.
    @inline(__always)
    package mutating func id(of number: Int64) -> Int64 {
        let place = number &- first
        if place < 0 || place >= Int64(lanes.values.count) { return compute(from: number) }
        return Int64(lanes.values[Int(place)])
    }

    private mutating func compute(from number: Int64) -> Int64 {
        let count = lanes.values.count
        let follows = number == first &+ Int64(count)
        cipher.encrypt(OpaqueIDRun.nextCount(after: follows ? count : 0), from: number, in: &lanes)
        first = number
        return Int64(lanes.values[0])
    }
}
