import PushModel
import PushQueue
import Testing

@Suite struct PartProgressGrantsTests {
    @Test func `pending messages are found in ranges`() throws {
        var part = Recorded(try .fresh(10))
        part.apply(.accepted(3))
        part.apply(.of(6, .failed(.bad)))
        part.reopen(6, deadline: after(9_000))
        #expect(part.progress.pending(in: 1..<9) == [1..<3, 4..<6, 7..<9])
        #expect(part.progress.pending(in: 3..<4) == [])
        #expect(part.progress.pending(in: -5..<100).first == 0..<3)
    }

    @Test func `a retry that is due is found with its number of attempts`() throws {
        var part = Recorded(try .fresh(6))
        for (index, due) in [(0, 300), (1, 100), (2, 200), (4, 100)] as [(Int, Int64)] {
            part.apply(.of(index, .retrying(due: after(due), .busy), counts: index != 4))
        }
        func due(_ seconds: Int64) -> [Int] {
            part.progress.dueRetries(at: after(seconds), notes: part.notes).map(\.index)
        }
        #expect(due(99) == [])
        #expect(due(100) == [1, 4])
        #expect(due(300) == [0, 1, 2, 4])
        #expect(part.progress.dueRetries(at: after(100), notes: part.notes).map(\.attempts) == [1, 0])
    }

    @Test func `a waiting message without a note is due from the moment at which it began to wait`() throws {
        var part = Recorded(try .fresh(3))
        part.apply(.of(1, .failed(.bad)))
        part.reopen(1, deadline: after(9_000))
        #expect(part.notes.isEmpty && part.progress.nextDue == after(100))
        #expect(part.progress.dueRetries(at: after(100), notes: part.notes).map(\.due) == [after(100)])
        #expect(try part.progress.reread() == part.progress)
        #expect(
            try PartProgress(repairing: part.progress.row, count: 3, notes: part.notes).row.nextDue
                == part.progress.row.nextDue)
    }
}
