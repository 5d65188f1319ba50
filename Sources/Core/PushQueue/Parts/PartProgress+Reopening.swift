package import PushModel

extension PartProgress {
    /// Lets failed messages wait again, as retrying and due now: attempts, ids and, until the next answer,
    /// the cause are kept. An acceptance from before is still recorded; any other outcome from before is late
    /// where it says which attempt it was.
    /// - Parameters:
    ///   - chosen: of these, what has failed.
    ///   - deadline: for all that waits then. Where something waits already, the later of the two.
    ///   - notes: all of the part.
    package func reopen(
        _ chosen: MessageSet, at now: WallTime, deadline newDeadline: WallTime, notes: PartNotes
    ) -> PartChange {
        var walk = PartWalk(self, notes: notes, at: now)
        walk.forEachMessage(of: chosen) { walk, index, status in
            guard status.state == .failed else { return status }
            let reopened = status.becoming(.retrying, cause: status.cause, at: now)
            walk.date(index, now, reopened)
            walk.redate(index, from: status, to: reopened)
            return reopened
        }
        var change = walk.finish()
        if change.isChanged { change.progress.deadline = isOpen ? max(deadline, newDeadline) : newDeadline }
        return change
    }
}
