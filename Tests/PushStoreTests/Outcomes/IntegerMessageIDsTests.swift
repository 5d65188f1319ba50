import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct IntegerMessageIDsTests {
    private func cipher() throws -> MessageIDCipher {
        try TemporaryStore.with { MessageIDCipher(key: $0.key) }
    }

    @Test func `every id maps back to its number and fits in a signed 32-bit integer`() throws {
        var dice = SeededRandom(seed: 15)
        let cipher = try cipher()
        for _ in 0..<200 {
            let ids = cipher.integers(
                of: DeliveryID(rawValue: Int64.random(in: 1...0x7FFF_FFFF, using: &dice)))
            for number in (1...20).map({ _ in Int64.random(in: 1...0x7FFF_FFFF, using: &dice) }) + [
                1, 0x7FFF_FFFF,
            ] {
                let id = ids.id(of: number)
                #expect(
                    (1...0x7FFF_FFFF).contains(id) && ids.number(of: id) == number && ids.id(of: number) == id
                )
            }
        }
    }

    @Test func `ids are unique within their delivery`() throws {
        let ids = try cipher().integers(of: DeliveryID(rawValue: 7))
        var seen = [Bool](repeating: false, count: 1 << 21)
        var shared = 0
        var all = Set<Int64>()
        for number in 1...200_000 as ClosedRange<Int64> {
            let id = ids.id(of: number)
            all.insert(id)
            if seen[Int(id >> 10)] { shared += 1 }
            seen[Int(id >> 10)] = true
        }
        #expect(all.count == 200_000)
        // If 200 000 balls are thrown into 2²¹ boxes, about 9 200 balls meet another one. Consecutive numbers
        // must be spread like random numbers.
        #expect((8_500...9_900).contains(shared))
    }

    @Test func `an invalid id maps to no number`() throws {
        let ids = try cipher().integers(of: DeliveryID(rawValue: 7))
        for id in [0, -1, Int64.min, 1 << 31, Int64.max] as [Int64] { #expect(ids.number(of: id) == nil) }
    }

    @Test func `different deliveries and different instances have different ids`() throws {
        let (ours, theirs) = (try cipher(), try cipher())
        let numbers = 1...1_000 as ClosedRange<Int64>
        func ids(_ cipher: MessageIDCipher, _ delivery: Int64) -> [Int64] {
            numbers.map(cipher.integers(of: DeliveryID(rawValue: delivery)).id)
        }
        let mine = ids(ours, 7)
        #expect(mine == ids(ours, 7))
        for other in [ids(ours, 8), ids(theirs, 7)] {
            #expect(zip(mine, other).count { $0 == $1 } <= 1)
        }
    }

    @Test func `an id that would be 0 is encrypted once more`() throws {
        // The test searches for this number, because it is one number in two thousand million.
        let cipher = try cipher()
        for delivery in 1...50 as ClosedRange<Int64> {
            let ids = cipher.integers(of: DeliveryID(rawValue: delivery))
            // The id that replaces 0 is an ordinary id, and leads back to the number that would have become
            // 0.
            let id = ids.id(of: 1 << 31)
            let number = try #require(ids.number(of: id))
            #expect(ids.id(of: number) == id && (1...0x7FFF_FFFF).contains(number))
        }
    }

    @Test func `ids match the definition, whether computed one by one or in bulk`() throws {
        var dice = SeededRandom(seed: 16)
        for _ in 0..<20 {
            let key = (dice.next(), dice.next())
            let delivery = DeliveryID(rawValue: Int64.random(in: 1...0x7FFF_FFFF, using: &dice))
            let ids = IntegerMessageIDs(of: delivery, under: key)
            let first = Int64.random(in: 1...0x7FFF_0000, using: &dice)
            for number in first..<first + 300 {
                #expect(ids.id(of: number) == Self.defined(number, delivery, key))
            }
        }
        let cipher = try cipher()
        var run = cipher.integerRun(of: DeliveryID(rawValue: 7))
        let alone = cipher.integers(of: DeliveryID(rawValue: 7))
        // Numbers in order, with gaps, in reverse, and beyond the last number.
        let numbers =
            Array(1...2_000 as ClosedRange<Int64>) + [5_000, 5_001, 9_000, 3, 4, 0x7FFF_FFFF, 1 << 31]
        for number in numbers { #expect(run.id(of: number) == alone.id(of: number)) }
    }

    /// A second implementation of the definition: a Feistel network whose round function is SipHash-1-3.
    private static func defined(_ number: Int64, _ delivery: DeliveryID, _ key: (UInt64, UInt64)) -> Int64 {
        var (high, low) = (UInt64(number) >> 16, UInt64(number) & 0xFFFF)
        for round in stride(from: 0, to: 8, by: 2) as StrideTo<UInt64> {
            high ^= hash([UInt64(delivery.rawValue), round << 32 | low], key) & 0x7FFF
            low ^= hash([UInt64(delivery.rawValue), (round + 1) << 32 | high], key) & 0xFFFF
        }
        return Int64(high << 16 | low)
    }

    private static func hash(_ words: [UInt64], _ key: (UInt64, UInt64)) -> UInt64 {
        var v = [
            key.0 ^ 0x736F_6D65_7073_6575, key.1 ^ 0x646F_7261_6E64_6F6D, key.0 ^ 0x6C79_6765_6E65_7261,
            key.1 ^ 0x7465_6462_7974_6573,
        ]
        func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
        func mix() {
            for (a, b, bits) in [(0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)] as [(Int, Int, UInt64)] {
                v[a] &+= v[b]
                v[b] = rotated(v[b], bits) ^ v[a]
                if bits == 13 || bits == 17 { v[a] = rotated(v[a], 32) }
            }
        }
        for word in words {
            v[3] ^= word
            mix()
            v[0] ^= word
        }
        v[2] ^= 0xFF
        for _ in 0..<3 { mix() }
        return v.reduce(0, ^)
    }
}
