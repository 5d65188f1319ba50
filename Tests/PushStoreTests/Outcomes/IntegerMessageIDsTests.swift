import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct IntegerMessageIDsTests {
    private func cipher() throws -> MessageIDCipher {
        try TemporaryStore.with { MessageIDCipher(key: $0.key) }
    }

    @Test func `every id leads back to its number, and stays within what 32 bits with a sign can say`() throws
    {
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

    @Test func `no id is given twice within a delivery`() throws {
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
        // Of 200 000 throws into 2²¹ boxes about 9 200 meet another: numbers in a row are spread like chance.
        #expect((8_500...9_900).contains(shared))
    }

    @Test func `what is no id names no number`() throws {
        let ids = try cipher().integers(of: DeliveryID(rawValue: 7))
        for id in [0, -1, Int64.min, 1 << 31, Int64.max] as [Int64] { #expect(ids.number(of: id) == nil) }
    }

    @Test func `deliveries and instances number otherwise`() throws {
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

    @Test func `what would be 0 goes through it once more`() throws {
        // Looked for, because it is one number in two thousand million.
        let cipher = try cipher()
        for delivery in 1...50 as ClosedRange<Int64> {
            let ids = cipher.integers(of: DeliveryID(rawValue: delivery))
            // What 0 becomes is an id like others, and leads to the number that would have been 0.
            let id = ids.id(of: 1 << 31)
            let number = try #require(ids.number(of: id))
            #expect(ids.id(of: number) == id && (1...0x7FFF_FFFF).contains(number))
        }
    }
}
