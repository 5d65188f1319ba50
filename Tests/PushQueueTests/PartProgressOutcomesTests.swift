import PushModel
import PushQueue
import Testing

@Suite struct PartProgressOutcomesTests {
    @Test func `an accepted message is recorded as sent once, in any order of acceptances`() throws {
        var part = Recorded(try .fresh(200))
        let change = part.apply(.accepted(7, 5, 6, 7, 150, -1, 200))
        #expect(part.progress.counts.sent == 4 && part.progress.counts.pending == 196)
        #expect(change.late == 3)
        #expect(change.isChanged && part.progress.revision == 2)
        #expect(change.changedNotes.isEmpty)
        #expect(part.status(6) == MessageStatus(.sent, isTried: true, since: after(60)))
        #expect(change.tally[TallyKey(.pending, minute: 0)] == -4)
        #expect(change.tally[TallyKey(.sent, minute: Int(after(60).secondsSince1970 / 60))] == 4)
        let again = part.apply(.accepted(5, 6), at: after(90))
        #expect(!again.isChanged && again.late == 2 && part.progress.revision == 2)
        #expect(try part.progress.reread() == part.progress)
    }

    @Test func `accepting a whole part in one step yields one run and completes the part`() throws {
        var part = Recorded(try .fresh(4_900))
        var outcomes = PartOutcomes()
        outcomes.accepted = ContiguousArray((0..<4_900).reversed())
        part.apply(outcomes)
        #expect(part.progress.states.runCount == 1)
        #expect(!part.progress.isOpen && part.progress.waiting == 0)
        #expect(part.progress.row.states.count < 12)
    }

    @Test
    func `the state sent overrides every other state and moves the tally from the old cause and minute`()
        throws
    {
        for change in [
            .failed(.bad), .cancelled(.stopped), .excluded(.bad), .retrying(due: after(999), .busy),
        ]
            as [PartOutcome.Change]
        {
            var part = Recorded(try .fresh(3))
            part.apply(.of(1, change), at: after(30))
            let old = try #require(part.status(1))
            // The outcome belongs to an old generation, and comes much later.
            let late = part.apply(.accepted(1), at: after(300), under: 0)
            #expect(part.progress.stateList == [.pending, .sent, .pending])
            let minute = Int(after(30).secondsSince1970 / 60)
            #expect(late.tally[TallyKey(old.state, cause: old.cause, minute: minute)] == -1)
            #expect(part.attempts(1) == 2)
            #expect(part.tally == part.progress.states.tally())
            #expect(part.progress.nextDue == nil)
        }
    }

    @Test func `any outcome other than sent changes only waiting messages`() throws {
        var part = Recorded(try .fresh(4))
        part.apply(.accepted(0))
        part.apply(.of(1, .failed(.bad)))
        part.apply(.of(2, .retrying(due: after(500), .busy)))
        for change in [
            .failed(.busy), .cancelled(.stopped), .excluded(.busy), .retrying(due: after(9), .bad),
        ]
            as [PartOutcome.Change]
        {
            for index in 0...1 {
                let late = part.apply(.of(index, change))
                #expect(!late.isChanged && late.late == 1 && late.lateOthers == [0])
            }
        }
        #expect(part.apply(.of(2, .failed(.bad)), under: 7).isChanged == false)
        part.apply(.of(2, .failed(.bad)))
        #expect(part.progress.stateList == [.sent, .failed, .failed, .pending])
        #expect(part.status(2)?.cause == .bad)
    }

    @Test func `a repeated outcome counts once`() throws {
        var part = Recorded(try .fresh(2))
        let busy = PartOutcomes.of(0, .retrying(due: after(500), .busy), before: 0)
        part.apply(busy)
        let again = part.apply(busy, at: after(70))
        #expect(!again.isChanged && again.late == 1)
        #expect(part.attempts(0) == 1)
        part.apply(.of(0, .retrying(due: after(900), .busy), before: 1))
        #expect(part.attempts(0) == 2)
        #expect(part.progress.nextDue == after(900))
    }

    @Test func `the first of several outcomes for one message counts, but an acceptance precedes all others`()
        throws
    {
        var part = Recorded(try .fresh(3))
        var outcomes = PartOutcomes.accepted(2)
        let others: [(Int, PartOutcome.Change)] = [
            (2, .failed(.bad)), (1, .failed(.bad)), (0, .failed(.busy)), (1, .retrying(due: noon, .busy)),
        ]
        for (index, change) in others { outcomes.others += PartOutcomes.of(index, change).others }
        let change = part.apply(outcomes)
        #expect(part.progress.stateList == [.failed, .failed, .sent])
        #expect(part.status(1)?.cause == .bad)
        #expect(change.late == 2 && change.lateOthers.sorted() == [0, 3])
    }

    @Test func `a note stores data that a run cannot store, and remains after success`() throws {
        var part = Recorded(try .fresh(3))
        part.apply(.of(0, .failed(.bad)))
        #expect(part.notes.isEmpty && part.attempts(0) == 1)
        part.apply(.of(1, .retrying(due: after(300), .busy), counts: false))
        #expect(part.notes[1] == PartNote(index: 1, attempts: 0, due: after(300)))
        part.apply(.of(1, .retrying(due: after(400), .busy)))
        part.apply(.accepted(1))
        #expect(part.notes[1]?.attempts == 2 && part.attempts(1) == 2)
        part.apply(.of(2, .sent(providerID: "projects/p/messages/1"), counts: false))
        #expect(part.notes[2] == PartNote(index: 2, attempts: 1, providerID: "projects/p/messages/1"))
        #expect(part.progress.nextDue == nil)
    }

    @Test func `a gateway's message id in an existing note is kept`() throws {
        var part = Recorded(try .fresh(1))
        part.apply(.of(0, .failed(.bad)))
        part.notes = PartNotes([PartNote(index: 0, attempts: 1, providerID: "from before")])
        part.apply(.accepted(0))
        #expect(part.notes[0] == PartNote(index: 0, attempts: 2, providerID: "from before"))
    }

    @Test func `a part needs notes only for messages that have been attempted`() throws {
        var part = Recorded(try .fresh(5))
        #expect(!part.progress.needsNotes(for: .accepted(0, 1)))
        part.apply(.accepted(0))
        part.apply(.of(1, .failed(.bad)))
        part.apply(.of(2, .retrying(due: noon, .busy), counts: false))
        #expect(!part.progress.needsNotes(for: .accepted(0, 3, 99)))
        #expect(part.progress.needsNotes(for: .accepted(3, 1)))
        #expect(part.progress.needsNotes(for: .of(2, .failed(.bad))))
        #expect(!part.progress.needsNotes(for: .of(4, .failed(.bad))))
    }

    @Test func `the next due time is the earliest due time of all messages that await a retry`() throws {
        var part = Recorded(try .fresh(4))
        part.apply(.of(0, .retrying(due: after(300), .busy)))
        part.apply(.of(1, .retrying(due: after(200), .busy)))
        part.apply(.of(2, .retrying(due: after(250), .busy)))
        #expect(part.progress.nextDue == after(200))
        part.apply(.of(1, .retrying(due: after(900), .busy)))
        #expect(part.progress.nextDue == after(250))
        part.apply(.accepted(2))
        #expect(part.progress.nextDue == after(300))
        part.apply(.of(0, .failed(.bad)))
        part.apply(.accepted(1))
        #expect(part.progress.nextDue == nil)
    }

    @Test func `the last of several due times for one message counts, with or without notes`() throws {
        var part = Recorded(try .fresh(3))
        part.apply(.of(0, .retrying(due: after(300), .busy)))
        var outcomes = PartOutcomes.of(1, .retrying(due: after(200), .busy))
        outcomes.others += PartOutcomes.of(1, .retrying(due: after(400), .busy)).others
        #expect(!part.progress.needsNotes(for: outcomes))
        let change = part.take(part.progress.apply(outcomes, at: after(60), under: 1, notes: nil))
        #expect(change.changedNotes == [PartNote(index: 1, attempts: 2, due: after(400))])
        #expect(part.progress.nextDue == after(300))
    }

    @Test func `a message that awaits a retry and whose note is lost is due immediately rather than never`()
        throws
    {
        var part = Recorded(try .fresh(2))
        part.apply(.of(0, .retrying(due: after(300), .busy)))
        part.apply(.of(1, .retrying(due: after(400), .busy)))
        part.notes = PartNotes(part.notes.notes.filter { $0.index == 1 })
        part.apply(.of(1, .retrying(due: after(500), .busy)))
        let due = part.progress.dueRetries(at: after(60), notes: part.notes)
        #expect(due.map(\.index) == [0] && due.map(\.attempts) == [1])
        #expect(part.progress.nextDue == after(60))
    }
}
