import PushModel
import PushQueue
import Testing

@Suite struct PartProgressGrantsTests {
    @Test func `pending messages are found as ranges, tried ones apart`() throws {
        var part = Recorded(try .fresh(10))
        part.apply(.accepted(3))
        part.apply(.of(6, .failed(.bad)))
        part.take(part.progress.reopen(at: after(100), deadline: after(9_000)))
        let found = part.progress.pending(in: 1..<9)
        #expect(found.map(\.range) == [1..<3, 4..<6, 6..<7, 7..<9])
        #expect(found.map(\.isTried) == [false, false, true, false])
        #expect(part.progress.pending(in: 3..<4) == [])
        #expect(part.progress.pending(in: -5..<100).first?.range == 0..<3)
    }

    @Test func `what is due again is found by due time, as many as are wanted`() throws {
        var part = Recorded(try .fresh(6))
        for (index, due) in [(0, 300), (1, 100), (2, 200), (4, 100)] as [(Int, Int64)] {
            part.apply(.of(index, .retrying(due: after(due), .busy), counts: index != 4))
        }
        func due(_ seconds: Int64, limit: Int = 9) -> [Int] {
            part.progress.dueRetries(at: after(seconds), notes: part.notes, limit: limit).map(\.index)
        }
        #expect(due(99) == [])
        #expect(due(100) == [1, 4])
        #expect(due(300) == [1, 4, 2, 0])
        #expect(due(300, limit: 3) == [1, 4, 2])
        #expect(due(300, limit: 0) == [])
        #expect(part.progress.dueRetries(at: after(100), notes: part.notes, limit: 9).map(\.attempts) == [1, 0])
    }
}
