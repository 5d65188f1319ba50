import PushModel
import PushQueue
import Testing

@Suite struct PartProgressReopeningTests {
    @Test func `only the selected failed messages wait again, and they keep their attempts`() throws {
        var part = Recorded(try .fresh(5))
        part.apply(.accepted(0))
        part.apply(.of(1, .failed(.bad)))
        part.apply(.of(2, .retrying(due: after(90), .busy)))
        part.apply(.of(2, .failed(.bad)))
        part.apply(.of(3, .failed(.busy)))
        part.take(part.progress.expire(at: after(4_000)))
        #expect(!part.progress.isOpen)
        part.reopen(0, 1, 2, 4, deadline: after(9_000), at: after(5_000))
        #expect(part.progress.stateList == [.sent, .retrying, .retrying, .failed, .cancelled])
        #expect(part.status(1)?.cause == .bad && part.progress.nextDue == after(5_000))
        #expect(
            part.progress.isOpen && part.progress.deadline == after(9_000) && part.progress.generation == 1)
        #expect(part.attempts(1) == 1 && part.attempts(2) == 2)
        #expect(part.tally == part.progress.states.tally())
        #expect(try part.progress.reread() == part.progress)
    }

    @Test func `only outcomes after a reopening complete a reopened message`() throws {
        var part = Recorded(try .fresh(2))
        let first = PartOutcomes.of(0, .failed(.bad), before: 0)
        part.apply(first)
        part.reopen(0, deadline: after(9_000))
        #expect(!part.apply(first).isChanged)
        #expect(part.progress.stateList == [.retrying, .pending])
        part.apply(.of(0, .failed(.busy), before: 1))
        #expect(part.progress.stateList == [.failed, .pending] && part.attempts(0) == 2)
    }

    @Test
    func `reopening never shortens a waiting message's deadline, and does nothing without failed messages`()
        throws
    {
        var part = Recorded(try .fresh(2))
        #expect(!part.reopen(0, 1, deadline: after(9_000)).isChanged)
        part.apply(.of(0, .failed(.bad)))
        part.reopen(0, deadline: after(200))
        #expect(part.progress.deadline == after(3_600))
    }

    @Test func `after a takeover, messages that were granted earlier may only become sent`() throws {
        var part = Recorded(try .fresh(3))
        var row = part.progress.row
        row.takeOver()
        part.progress = try PartProgress(row, count: 3)
        #expect(part.progress.generation == 2 && part.progress.revision == 2)
        let old = part.apply(.of(0, .failed(.bad)), under: 1)
        #expect(!old.isChanged && old.late == 1)
        part.apply(.of(0, .sent(providerID: nil)), under: 1)
        part.apply(.accepted(1), under: 1)
        part.apply(.of(2, .failed(.bad)), under: 2)
        #expect(part.progress.stateList == [.sent, .sent, .failed])
    }
}
