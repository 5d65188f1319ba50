import PushModel
import PushServer
import Testing

@Suite struct FairQueueTests {
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `if one caller occupies all slots, another caller still gets a few slots`() {
        var queue = FairQueue<Int>(QueueLimits(slots: 10, slotsForEachCaller: 2))
        #expect((0..<11).map { _ in queue.enter("busy") } == Array(repeating: true, count: 10) + [false])
        #expect((0..<3).map { _ in queue.enter("other") } == [true, true, false])
        #expect(queue.slots == 12)
        queue.leave("busy")
        // Slots that were taken beyond the limit are counted until they are returned.
        #expect(queue.enter("busy") == false)
        for _ in 0..<2 { queue.leave("other") }
        #expect((0..<2).map { _ in queue.enter("busy") } == [true, false])
    }

    @Test func `callers take turns, whatever amount of work each has`() {
        var queue = FairQueue<String>(QueueLimits(slots: 100, slotsForEachCaller: 2))
        for number in 1...4 { queue.add("a\(number)", of: "a", at: Self.at(0)) }
        for number in 1...2 { queue.add("b\(number)", of: "b", at: Self.at(0)) }
        queue.add("c1", of: "c", at: Self.at(0))
        var begun: [String] = []
        while let next = queue.next() { begun.append(next) }
        #expect(begun == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(queue.waiting == 0)
    }

    @Test func `work that waits too long is removed, and newer work stays`() {
        var queue = FairQueue<String>(
            QueueLimits(slots: 100, slotsForEachCaller: 2, maxWait: .milliseconds(500)))
        queue.add("a1", of: "a", at: Self.at(0))
        queue.add("b1", of: "b", at: Self.at(100))
        queue.add("a2", of: "a", at: Self.at(300))
        #expect(queue.takeExpired(at: Self.at(499)) == [])
        #expect(queue.takeExpired(at: Self.at(700)).sorted() == ["a1", "b1"])
        #expect(queue.next() == "a2")
        #expect(queue.next() == nil)
    }

    @Test func `if there is no limit, work may wait for any length of time`() {
        var queue = FairQueue<String>(QueueLimits(slots: 1, slotsForEachCaller: 1))
        queue.add("a1", of: "a", at: Self.at(0))
        #expect(queue.takeExpired(at: Self.at(1_000_000)) == [])
        #expect(queue.next() == "a1")
    }
}
