package import PushModel

extension PartProgress {
    /// Makes failed messages wait again, as retrying and due now. Attempts and ids are kept, and so is the
    /// cause until the next answer. If the acceptance of an earlier attempt arrives later, it is still
    /// recorded. Any other outcome of an earlier attempt changes nothing if it states its attempt.
    /// - Parameters:
    ///   - chosen: The messages to reopen. Only those that have failed change.
    ///   - deadline: The deadline for all waiting messages. If messages are already waiting, the later of
    ///     this deadline and the part's applies.
    ///   - notes: All notes of the part.
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
