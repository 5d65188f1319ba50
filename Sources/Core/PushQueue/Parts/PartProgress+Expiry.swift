package import PushModel

/// The deadline of a part, which its delivery's validity sets, and what passes with it.
extension PartProgress {
    /// Gives the part an earlier deadline: that of its delivery, where that was brought forward.
    package mutating func shorten(to end: WallTime) { deadline = min(deadline, end) }

    /// Lets what waits wait until then, where its own deadline is earlier: an end that its delivery got
    /// since.
    package func extend(to end: WallTime) -> PartChange {
        var change = PartChange(unchanged: self)
        guard isOpen, deadline < end else { return change }
        change.progress.deadline = end
        change.progress.revision &+= 1
        change.isChanged = true
        return change
    }

    /// Ends what outlived its validity: what was never answered is cancelled, what is retrying fails with its
    /// last answer. Before the deadline nothing changes.
    package func expire(at now: WallTime) -> PartChange {
        guard deadline <= now else { return PartChange(unchanged: self) }
        return endWaiting(at: now) { status in
            status.isPending
                ? status.becoming(.cancelled, cause: .expired, at: now)
                : status.becoming(.failed, cause: status.cause, at: now)
        }
    }
}
