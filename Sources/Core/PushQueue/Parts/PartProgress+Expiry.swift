package import PushModel

/// The deadline of a part, which is set by its delivery's validity, and the changes when the deadline passes.
extension PartProgress {
    /// Shortens the deadline of the part to `end`, because the delivery's deadline was brought forward.
    package mutating func shorten(to end: WallTime) { deadline = min(deadline, end) }

    /// Extends the deadline of the waiting messages to `end` if the part's deadline is earlier. This is for a
    /// delivery whose end was postponed after its parts were created.
    package func extend(to end: WallTime) -> PartChange {
        var change = PartChange(unchanged: self)
        guard isOpen, deadline < end else { return change }
        change.progress.deadline = end
        change.progress.revision &+= 1
        change.isChanged = true
        return change
    }

    /// Ends messages whose validity has expired: messages that were never answered are cancelled, and
    /// retrying messages fail with their last answer. Nothing changes before the deadline.
    package func expire(at now: WallTime) -> PartChange {
        guard deadline <= now else { return PartChange(unchanged: self) }
        return endWaiting(at: now) { status in
            status.isPending
                ? status.becoming(.cancelled, cause: .expired, at: now)
                : status.becoming(.failed, cause: status.cause, at: now)
        }
    }
}
