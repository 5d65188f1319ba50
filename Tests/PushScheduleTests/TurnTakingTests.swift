import PushSchedule
import Testing

@Suite struct `Taking turns` {
    @Test func `goes round`() {
        var turns = TurnTaking<String>(quantum: 1)
        for name in ["a", "b", "c", "a"] { turns.join(name) }
        let got1 = (0..<6).compactMap { _ in turns.take() }
        #expect(got1 == ["a", "b", "c", "a", "b", "c"])
    }

    @Test func `skips nobody when one leaves`() {
        var turns = TurnTaking<String>(quantum: 1)
        for name in ["a", "b", "c", "d"] { turns.join(name) }
        let got2 = turns.take()
        #expect(got2 == "a")
        let got3 = turns.take()
        #expect(got3 == "b")
        turns.leave("a")
        let got4 = turns.take()
        #expect(got4 == "c")
        turns.leave("d")
        let got5 = turns.take()
        #expect(got5 == "b")
        turns.leave("b")
        turns.leave("c")
        let got6 = turns.take()
        #expect(got6 == nil)
        #expect(turns.isEmpty)
    }
}
