import PushTransport
import TestSupport
import Testing

@Suite struct DeadlineQueueTests {
    @Test func `the entry that was added first expires first`() {
        var queue = DeadlineQueue(duration: 10)
        #expect(queue.next == .max)
        queue.add(5, at: 100)
        queue.add(2, at: 103)
        #expect(queue.next == 110)
        #expect(queue.takeExpired(at: 109) == nil)
        #expect(queue.takeExpired(at: 120) == 5)
        #expect(queue.takeExpired(at: 120) == 2)
        #expect(queue.takeExpired(at: 120) == nil)
    }

    @Test func `a removed entry does not expire, whatever its position`() {
        for removed in 0..<3 {
            var queue = DeadlineQueue(duration: 10)
            for thing in 0..<3 { queue.add(thing, at: Int64(thing)) }
            queue.remove(removed)
            queue.remove(removed)
            queue.remove(99)
            var taken: [Int] = []
            while let thing = queue.takeExpired(at: 100) { taken.append(thing) }
            #expect(taken == [0, 1, 2].filter { $0 != removed })
        }
    }

    @Test func `a long sequence of operations gives the same results as a plain list`() {
        var chance = SeededRandom(seed: 7)
        var queue = DeadlineQueue(duration: 50)
        var model: [(thing: Int, deadline: Int64)] = []
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64(chance.below(5))
            let thing = chance.below(40)
            switch chance.below(3) {
            case 0:
                queue.add(thing, at: now)
                if !model.contains(where: { $0.thing == thing }) { model.append((thing, now + 50)) }
            case 1:
                queue.remove(thing)
                model.removeAll { $0.thing == thing }
            default:
                let expected = model.first.flatMap { $0.deadline <= now ? $0.thing : nil }
                #expect(queue.takeExpired(at: now) == expected)
                if expected != nil { model.removeFirst() }
            }
            #expect(queue.next == model.first?.deadline ?? .max)
        }
    }
}
