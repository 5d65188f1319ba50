package import PushModel

/// A backward step of the wall clock.
package struct ClockStepBack: Equatable, Sendable {
    /// The size of the step. 0 if no process saw the step and it is known only from messages whose times are
    /// in the future.
    package var seconds: Int64
    /// A time on the clock before the step. Everything that has this time or a later one was recorded by the
    /// clock before the step.
    package var recordedSince: WallTime
    /// The current time, by the clock after the step.
    package var now: WallTime

    package init(seconds: Int64, recordedSince: WallTime, now: WallTime) {
        self.seconds = seconds
        self.recordedSince = recordedSince
        self.now = now
    }
}

extension PartProgress {
    /// After a backward step of the clock, adjusts the retries that are not yet due. Both the due time and
    /// the time of recording are moved back: by the size of the step if the clock recorded them before the
    /// step, and in any case far enough that no time of recording is in the future. A second pass changes
    /// nothing.
    /// - Parameter notes: All notes of the part.
    package func moveDueTimes(_ step: ClockStepBack, notes: PartNotes) -> PartChange {
        guard counts.retrying > 0 else { return PartChange(unchanged: self) }
        var walk = PartWalk(self, notes: notes, at: step.now)
        while let stretch = walk.stretch(before: states.count) {
            guard stretch.status.isRetrying else {
                walk.put(stretch.status, for: stretch)
                continue
            }
            for index in stretch.range {
                let message = StatusRange(status: stretch.status, range: index..<index + 1)
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
