import PushModel
import PushQueue
import Testing

@Suite struct PartProgressClockTests {
    @Test func `retries that were dated before a step of the clock move with the step, once`() throws {
        var part = Recorded(try .fresh(4))
        part.apply(.of(0, .retrying(due: after(500), .busy)), at: after(100))
        part.apply(.of(1, .retrying(due: after(4_000), .busy)), at: after(3_700))
        part.apply(.of(2, .retrying(due: after(110), .busy)), at: after(3_700))
        part.apply(.accepted(3), at: after(3_700))
        // The clock goes back by an hour. The first message was recorded before the clock was wrong.
        let step = ClockStepBack(seconds: 3_600, recordedSince: after(3_650), now: after(120))
        let change = part.take(part.progress.moveDueTimes(step, notes: part.notes))
        #expect(part.notes[0]?.due == after(500) && part.status(0)?.since == after(100))
        #expect(part.notes[1]?.due == after(400) && part.status(1)?.since == after(100))
        // The message is already due, so its moment does not have to change.
        #expect(part.notes[2]?.due == after(110))
        #expect(change.changedNotes.count == 1 && part.progress.nextDue == after(110))
        #expect(part.tally == part.progress.states.tally())
        #expect(part.attempts(1) == 1)
        #expect(!part.progress.moveDueTimes(step, notes: part.notes).isChanged)
    }

    @Test func `after an unnoticed step of the clock, a future retry waits no longer than intended`() throws {
        var part = Recorded(try .fresh(2))
        part.apply(.of(0, .retrying(due: after(4_000), .busy)), at: after(3_700))
        part.apply(.of(1, .retrying(due: after(190), .busy)), at: after(90))
        let step = ClockStepBack(seconds: 0, recordedSince: after(100), now: after(100))
        part.take(part.progress.moveDueTimes(step, notes: part.notes))
        #expect(part.notes[0]?.due == after(400) && part.notes[1]?.due == after(190))
        #expect(part.progress.nextDue == after(190))
    }
}
