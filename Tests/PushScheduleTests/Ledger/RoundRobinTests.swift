import PushSchedule
import Testing

@Suite struct `Taking turns` {
    @Test func `turns rotate among all members`() {
        var turns = RoundRobin<String>(quantum: 1)
        for name in ["a", "b", "c", "a"] { turns.join(name) }
        let order = (0..<6).compactMap { _ in turns.take() }
        #expect(order == ["a", "b", "c", "a", "b", "c"])
    }

    @Test func `a member that leaves does not cause another member to be skipped`() {
        var turns = RoundRobin<String>(quantum: 1)
        for name in ["a", "b", "c", "d"] { turns.join(name) }
        let first = turns.take()
        #expect(first == "a")
        let second = turns.take()
        #expect(second == "b")
        turns.leave("a")
        let third = turns.take()
        #expect(third == "c")
        turns.leave("d")
        let fourth = turns.take()
        #expect(fourth == "b")
        turns.leave("b")
        turns.leave("c")
        let nobody = turns.take()
        #expect(nobody == nil)
        #expect(turns.isEmpty)
    }
}
