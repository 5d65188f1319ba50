package import PushModel

/// How the wall clock was set back.
package struct ClockStepBack: Equatable, Sendable {
    /// 0: nobody saw it, only messages from the future tell.
    package var seconds: Int64
    /// What was recorded then or later, by the clock before the step, was recorded by that clock.
    package var recordedSince: WallTime
    /// By the clock after the step.
    package var now: WallTime

    package init(seconds: Int64, recordedSince: WallTime, now: WallTime) {
        self.seconds = seconds
        self.recordedSince = recordedSince
        self.now = now
    }
}

extension PartProgress {
    /// Moves retries that are not due with the clock: due time and the time at which they were recorded, by
    /// the step where the clock before it recorded them, and at least so far that none comes from the future.
    /// What was moved bears a date that a second pass finds in order.
    /// - Parameter notes: all of the part.
    package func moveDueTimes(_ step: ClockStepBack, notes: PartNotes) -> PartChange {
        guard counts.retrying > 0 else { return PartChange(unchanged: self) }
        var walk = PartWalk(self, notes: notes, at: step.now)
        while let stretch = walk.stretch(before: states.count) {
            guard stretch.status.isRetrying else {
                walk.put(stretch.status, for: stretch)
                continue
            }
            for index in stretch.range {
                let message = Stretch(status: stretch.status, range: index..<index + 1)
                walk.put(walk.moved(message.status, index, step), for: message)
            }
        }
        return walk.finish()
    }
}

extension PartWalk {
    fileprivate mutating func moved(_ status: MessageStatus, _ index: Int, _ step: ClockStepBack)
        -> MessageStatus
    {
        let due = due(of: index, status)
        let back = max(
            status.since >= step.recordedSince ? step.seconds : 0, status.since.seconds(since: step.now))
        guard due > step.now, back > 0 else { return status }
        note(index, attempts: attempts(of: index, status), due: due.advanced(bySeconds: -back))
        return MessageStatus(
            .retrying, isTried: status.isTried, cause: status.cause,
            since: status.since.advanced(bySeconds: -back))
    }
}
