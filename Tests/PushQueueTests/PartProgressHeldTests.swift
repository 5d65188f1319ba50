import PushModel
import PushQueue
import Testing

/// Tests of parts that must not be sent before a given time.
@Suite struct PartProgressHeldTests {
    private func held(_ count: Int = 5) throws -> PartProgress {
        PartProgress(
            states: try PartStates(pending: count, since: noon), deadline: after(3_600), due: after(600))
    }

    @Test func `messages on hold wait and are not found`() throws {
        let part = try held()
        #expect(part.heldUntil == after(600) && part.isOpen && !part.hasPending && part.waiting == 5)
        #expect(part.row.heldUntil == after(600).secondsSince1970 && !part.row.hasPending && part.row.isOpen)
        #expect(try part.reread() == part)
        var released = part.row
        (released.heldUntil, released.hasPending) = (nil, true)
        #expect(try PartProgress(released, count: 5) == PartProgress.fresh(5))
    }

    @Test func `a part without pending messages is not on hold`() throws {
        let status = MessageStatus(.excluded, isTried: false, cause: .disabled, since: noon)
        let runs: ContiguousArray<(status: MessageStatus, count: Int)> = [(status, 3)]
        let part = PartProgress(states: try PartStates(runs), deadline: after(9), due: after(5))
        #expect(part.heldUntil == nil && !part.isOpen)
        #expect(try part.reread() == part)
    }

    @Test func `the hold of a part ends when the part ends, whether by expiry or by an operator`() throws {
        let part = try held()
        #expect(!part.expire(at: after(3_599)).isChanged)
        for change in [part.expire(at: after(3_600)), part.stop(at: after(1))] {
            #expect(change.isChanged && change.progress.heldUntil == nil && !change.progress.isOpen)
            #expect(change.progress.counts.cancelled == 5)
            #expect(try change.progress.reread() == change.progress)
        }
    }

    @Test func `a part stays on hold if its validity is extended`() throws {
        let change = try held().extend(to: after(7_200))
        #expect(change.progress.heldUntil == after(600) && !change.progress.hasPending)
        #expect(try change.progress.reread() == change.progress)
    }

    @Test func `an inconsistent row is reported as damage, and can be repaired from its states`() throws {
        let part = try held()
        var row = part.row
        row.hasPending = true
        #expect(throws: PartDamage(.progress, .disagrees(column: "has pending"))) {
            try PartProgress(row, count: 5)
        }
        let repaired = try PartProgress(repairing: row, count: 5, notes: PartNotes())
        #expect(repaired.heldUntil == after(600) && !repaired.hasPending)
        var ended = part.stop(at: after(1)).progress.row
        ended.heldUntil = 5
        #expect(throws: PartDamage(.progress, .disagrees(column: "held until"))) {
            try PartProgress(ended, count: 5)
        }
        #expect(try PartProgress(repairing: ended, count: 5, notes: PartNotes()).heldUntil == nil)
    }
}
