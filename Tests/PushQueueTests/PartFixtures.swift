import PushModel
import PushQueue

let noon = WallTime(secondsSince1970: 1_700_000_000)
func after(_ seconds: Int64) -> WallTime { noon.advanced(bySeconds: seconds) }

extension CauseCode {
    static let bad = CauseCode(rawValue: 17)
    static let busy = CauseCode(rawValue: 18)
}

extension PartProgress {
    /// Returns a part without attempts and with a validity of one hour.
    static func fresh(_ count: Int) throws -> PartProgress {
        PartProgress(states: try PartStates(pending: count, since: noon), deadline: after(3_600))
    }

    var stateList: [MessageState] { (0..<states.count).compactMap { states.status(at: $0)?.state } }

    /// Returns the part as the store would return it.
    func reread() throws -> PartProgress { try PartProgress(row, count: states.count) }
}

extension PartOutcomes {
    static func accepted(_ indices: Int...) -> PartOutcomes {
        var outcomes = PartOutcomes()
        outcomes.accepted = ContiguousArray(indices)
        return outcomes
    }

    static func of(
        _ index: Int, _ change: PartOutcome.Change, counts: Bool = true, before: Int? = nil
    ) -> PartOutcomes {
        var outcomes = PartOutcomes()
        outcomes.others = [
            PartOutcome(index: index, change: change, countsAttempt: counts, attemptsBefore: before)
        ]
        return outcomes
    }
}

/// A part with its notes, as a single writer would have it.
struct Recorded {
    var progress: PartProgress
    var notes = PartNotes()
    var tally = Tally()

    init(_ progress: PartProgress) {
        self.progress = progress
        tally = progress.states.tally()
    }

    @discardableResult
    mutating func apply(
        _ outcomes: PartOutcomes, at now: WallTime = after(60), under generation: Int64? = nil
    ) -> PartChange {
        take(progress.apply(outcomes, at: now, under: generation ?? progress.generation, notes: notes))
    }

    @discardableResult
    mutating func take(_ change: PartChange) -> PartChange {
        progress = change.progress
        notes = notes.replacing(change.changedNotes)
        tally += change.tally
        return change
    }

    /// Makes these messages wait again.
    @discardableResult
    mutating func reopen(_ indices: Int..., deadline: WallTime, at now: WallTime = after(100)) -> PartChange {
        let chosen = MessageSet(indices, limit: progress.states.count)
        return take(progress.reopen(chosen, at: now, deadline: deadline, notes: notes))
    }

    func attempts(_ index: Int) -> Int { progress.attempts(of: index, notes: notes) }
    func status(_ index: Int) -> MessageStatus? { progress.states.status(at: index) }
}
