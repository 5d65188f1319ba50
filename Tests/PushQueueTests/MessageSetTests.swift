import PushQueue
import TestSupport
import Testing

@Suite struct MessageSetTests {
    @Test(arguments: [0, 1, 63, 64, 65, 128, 4_900])
    func `a set contains each added message once, in order`(
        limit: Int
    ) {
        var random = SeededRandom(seed: UInt64(limit))
        for _ in 0..<50 {
            var set = MessageSet(limit: limit)
            var plain: Set<Int> = []
            for _ in 0..<random.below(20) {
                let start = random.below(limit + 70) - 3
                let range = start..<start + random.below(80)
                set.insert(range)
                set.insert(start - 2)
                plain.formUnion(range)
                plain.insert(start - 2)
            }
            // Numbers that do not belong to messages in the part are left out.
            plain = plain.filter { $0 >= 0 && $0 < limit }
            var walked: [Int] = []
            var position = 0
            while let range = set.nextRange(from: position) {
                walked += range
                position = range.upperBound
            }
            #expect(walked == plain.sorted())
            #expect((-5..<limit + 100).filter(set.contains) == plain.sorted())
            #expect(set.count == plain.count)
            #expect(set.isEmpty == plain.isEmpty)
            #expect(set == MessageSet(walked, limit: limit))
        }
    }

    @Test func `reading a range begins at the requested message`() {
        let set = MessageSet(10..<200, limit: 300)
        #expect(set.nextRange(from: 0) == 10..<200)
        #expect(set.nextRange(from: 70) == 70..<200)
        #expect(set.nextRange(from: 200) == nil)
        #expect(set.nextRange(from: 1_000) == nil)
    }
}
