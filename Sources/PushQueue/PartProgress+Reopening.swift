package import PushModel

extension PartProgress {
    /// Lets failed messages wait again, as pending: attempts and ids are kept, so that a device can tell a second
    /// from another. An acceptance from before is still recorded; any other outcome from before is late where it
    /// says which attempt it was.
    /// - Parameters:
    ///   - deadline: for all that waits then. Where something waits already, the later of the two.
    ///   - chosen: whether messages that failed for this cause are meant.
    package func reopen(
        at now: WallTime, deadline newDeadline: WallTime, where chosen: (CauseCode) -> Bool = { _ in true }
    ) -> PartChange {
        var walk = PartWalk(self, notes: nil, at: now)
        while let stretch = walk.stretch(before: states.count) {
            let isChosen = stretch.status.state == .failed && chosen(stretch.status.cause)
            let reopened = stretch.status.becoming(.pending, cause: .none, at: now)
            walk.put(isChosen ? reopened : stretch.status, for: stretch)
        }
        var change = walk.finish()
        if change.isChanged { change.progress.deadline = isOpen ? max(deadline, newDeadline) : newDeadline }
        return change
    }

    /// The part under a new owner: what was granted before may only become sent.
    package func takenOver() -> PartChange {
        var change = PartChange(unchanged: self)
        change.progress.generation &+= 1
        change.progress.revision &+= 1
        change.isChanged = true
        return change
    }
}
