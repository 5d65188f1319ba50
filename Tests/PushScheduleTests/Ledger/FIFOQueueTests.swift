import PushSchedule
import TestSupport
import Testing

@Suite struct FIFOQueueTests {
    @Test(arguments: 0..<20) func `the queue returns the same results as a plain array`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = FIFOQueue<Int>()
        var plain: [Int] = []
        for number in 0..<2_000 {
            switch random.below(9) {
            case 0...3:
                queue.append(number)
                plain.append(number)
            case 4:
                queue.prepend(number)
                plain.insert(number, at: 0)
            case 5 where random.below(10) == 0:
                queue.removeAll { $0 % 3 == 0 }
                plain.removeAll { $0 % 3 == 0 }
            case 6:
                queue.replaceFirst(by: number)
                if !plain.isEmpty { plain[0] = number }
            default:
                let first = queue.popFirst()
                #expect(first == plain.first)
                if !plain.isEmpty { plain.removeFirst() }
            }
            #expect(
                queue.first == plain.first && queue.count == plain.count && queue.isEmpty == plain.isEmpty)
            #expect(Array(queue.all) == plain)
        }
    }
}
