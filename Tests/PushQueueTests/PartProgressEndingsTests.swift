import PushModel
import PushQueue
import Testing

@Suite struct PartProgressEndingsTests {
    /// Returns a part with messages that are pending, sent, failed, and retrying after a second attempt.
    private func mixed() throws -> Recorded {
        var part = Recorded(try .fresh(4))
        part.apply(.accepted(1))
        part.apply(.of(2, .failed(.bad)))
        part.apply(.of(3, .retrying(due: after(100), .busy)))
        part.apply(.of(3, .retrying(due: after(200), .busy)))
        return part
    }

    @Test func `expiry cancels messages without an answer, and others fail with their last answer`() throws {
        var part = try mixed()
        #expect(!part.progress.expire(at: after(3_599)).isChanged)
        part.take(part.progress.expire(at: after(3_600)))
        #expect(part.progress.stateList == [.cancelled, .sent, .failed, .failed])
        #expect(part.status(0)?.cause == .expired && part.status(3)?.cause == .busy)
        #expect(part.status(2)?.since == after(60) && part.status(3)?.since == after(3_600))
        #expect(!part.progress.isOpen && part.progress.nextDue == nil && part.attempts(3) == 2)
        #expect(part.tally == part.progress.states.tally())
        #expect(!part.progress.expire(at: after(4_000)).isChanged)
        part.apply(.accepted(0, 3), at: after(3_700))
        #expect(part.progress.counts.sent == 3)
        #expect(part.attempts(3) == 3)
    }

    @Test func `an extended validity applies to all waiting messages, and the validity is never shortened`()
        throws
    {
        var part = try mixed()
        let revision = part.progress.revision
        #expect(!part.progress.extend(to: after(3_600)).isChanged)
        part.take(part.progress.extend(to: after(5_000)))
        #expect(part.progress.deadline == after(5_000) && part.progress.revision == revision + 1)
        #expect(!part.progress.expire(at: after(3_600)).isChanged)
        #expect(part.tally == part.progress.states.tally())
        part.take(part.progress.expire(at: after(5_000)))
        #expect(!part.progress.extend(to: after(9_000)).isChanged)
    }

    @Test func `a single waiting message is cancelled, and may still be reported as sent`() throws {
        var part = try mixed()
        #expect(part.progress.nextDue == after(200))
        for ended in [1, 2] {
            #expect(!part.progress.cancel(ended, at: after(90), notes: part.notes).isChanged)
        }
        part.take(part.progress.cancel(3, at: after(90), notes: part.notes))
        #expect(part.progress.stateList == [.pending, .sent, .failed, .cancelled])
        #expect(part.status(3)?.cause == .cancelled && part.progress.nextDue == nil)
        #expect(part.progress.isOpen && part.progress.hasPending)
        part.take(part.progress.cancel(0, at: after(91), notes: nil))
        #expect(part.progress.stateList == [.cancelled, .sent, .failed, .cancelled])
        #expect(!part.progress.isOpen && part.tally == part.progress.states.tally())
        #expect(try part.progress.reread() == part.progress)
        #expect(!part.progress.cancel(0, at: after(92), notes: nil).isChanged)
        // From then on, only an acceptance changes the message.
        part.apply(.of(0, .retrying(due: after(300), .busy)))
        part.apply(.of(0, .failed(.bad)))
        #expect(part.progress.stateList[0] == .cancelled)
        part.apply(.accepted(0))
        #expect(part.progress.stateList[0] == .sent)
    }

    @Test func `cancelling the last message in a part on hold leaves nothing to release`() throws {
        let states = try PartStates(pending: 2, since: noon)
        var progress = PartProgress(states: states, deadline: after(3_600), due: after(600))
        progress = progress.cancel(1, at: after(1), notes: nil).progress
        #expect(progress.heldUntil == after(600) && progress.isOpen)
        progress = progress.cancel(0, at: after(1), notes: nil).progress
        #expect(progress.heldUntil == nil && !progress.isOpen)
        #expect(try progress.reread() == progress)
    }

    @Test
    func `stopped messages are cancelled or fail with their last answer, and may still be reported as sent`()
        throws
    {
        var part = try mixed()
        part.take(part.progress.stop(at: after(90)))
        #expect(part.progress.stateList == [.cancelled, .sent, .failed, .failed])
        #expect(part.status(0)?.cause == .stopped && part.status(3)?.cause == .busy)
        #expect(part.status(3)?.since == after(90))
        #expect(!part.progress.stop(at: after(91)).isChanged)
        #expect(!part.apply(.of(0, .failed(.bad))).isChanged)
        part.apply(.accepted(0))
        #expect(part.progress.stateList == [.sent, .sent, .failed, .failed])
        #expect(part.tally == part.progress.states.tally())
    }

    @Test func `when a child is lost, only messages without an answer fail`() throws {
        var part = try mixed()
        let all = MessageSet(0..<100, limit: 100)
        part.take(part.progress.fail(.pending(all), at: after(90), under: 1, notes: nil))
        #expect(part.progress.stateList == [.failed, .sent, .failed, .retrying])
        #expect(part.status(0) == MessageStatus(.failed, isTried: false, cause: .childLost, since: after(90)))
        #expect(part.attempts(0) == 0)
        let early = part.progress.fail(.retries(all), at: after(199), under: 1, notes: part.notes)
        #expect(!early.isChanged)
        part.take(part.progress.fail(.retries(all), at: after(200), under: 1, notes: part.notes))
        #expect(part.progress.stateList == [.failed, .sent, .failed, .failed])
        #expect(part.attempts(3) == 2 && part.progress.nextDue == nil)
        #expect(part.tally == part.progress.states.tally())
    }

    @Test func `a loss that belongs to an old generation does not fail any message`() throws {
        let part = try mixed()
        let all = MessageSet(0..<4, limit: 4)
        #expect(!part.progress.fail(.pending(all), at: after(90), under: 0, notes: nil).isChanged)
        #expect(!part.progress.fail(.retries(all), at: after(900), under: 2, notes: part.notes).isChanged)
    }
}
