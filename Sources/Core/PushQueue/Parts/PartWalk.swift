internal import PushModel

/// One walk over a part during which messages change. It keeps runs, notes, tally and the next due time
/// consistent.
struct PartWalk {
    let now: WallTime
    private let start: PartProgress
    private var editor: RunEditor
    private var notes: NoteEditor
    private var tally = Tally()
    /// A change that is still to be added to the tally. Neighbouring messages mostly change in the same way.
    private var move: (old: MessageStatus, new: MessageStatus, count: Int)?
    private var isChanged = false
    /// The earliest due time of a message that was not retrying before.
    private var earliestDue: WallTime?
    /// Whether a message that was retrying has changed. If so, the next due time must be determined from all
    /// notes.
    private var touchedRetrying = false

    init(_ progress: PartProgress, notes: PartNotes?, at now: WallTime) {
        self.now = now
        start = progress
        editor = RunEditor(progress.states)
        self.notes = NoteEditor(notes ?? PartNotes())
    }

    /// The index of the next message.
    var position: Int { editor.position }
    mutating func keep(to index: Int) { editor.keep(to: index) }
    /// Returns the next messages before `end` that have the same status. The caller must pass them to
    /// ``put(_:for:)`` before the walk continues.
    func stretch(before end: Int) -> StatusRange? { editor.stretch(before: end) }

    mutating func put(_ status: MessageStatus, for stretch: StatusRange) {
        editor.put(status, to: stretch.range.upperBound)
        let old = stretch.status
        guard status != old else { return }
        isChanged = true
        if old.isRetrying { touchedRetrying = true }
        if let move, move.old == old, move.new == status {
            self.move = (old, status, move.count + stretch.range.count)
        } else {
            countMove()
            move = (old, status, stretch.range.count)
        }
    }

    private mutating func countMove() {
        guard let move else { return }
        tally.add(-move.count, to: TallyKey(move.old))
        tally.add(move.count, to: TallyKey(move.new))
        self.move = nil
    }

    /// Returns the number of attempts that have counted so far.
    mutating func attempts(of index: Int, _ status: MessageStatus) -> Int {
        let tried = status.isTried ? 1 : 0
        return notes.note(of: index).map { max($0.attempts, tried) } ?? tried
    }

    /// Returns the time at which the message, which must be retrying, is sent again. A message without a note
    /// is due from the time at which it began to wait.
    mutating func due(of index: Int, _ status: MessageStatus) -> WallTime {
        notes.note(of: index)?.due ?? status.since
    }

    /// Sets the due time of a message that begins to wait now. If the message's note has no due time, nothing
    /// is written: the message is then due from the time at which it began to wait.
    mutating func date(_ index: Int, _ due: WallTime, _ status: MessageStatus) {
        guard notes.note(of: index)?.due != nil else { return }
        note(index, attempts: attempts(of: index, status), due: due)
    }

    /// Records the details of the message that do not fit into the run, if there are any.
    mutating func note(_ index: Int, attempts: Int, due: WallTime? = nil, providerID: String? = nil) {
        guard attempts > 1 || due != nil || providerID != nil else { return }
        let old = notes.note(of: index)
        let new = PartNote(
            index: index, attempts: attempts, due: due ?? old?.due, providerID: providerID ?? old?.providerID)
        if new != old {
            notes.write(new)
            isChanged = true
        }
    }

    /// Records that the message's due time may have changed. Only the message's final status counts, because
    /// several outcomes may have changed the status.
    mutating func redate(_ index: Int, from old: MessageStatus, to new: MessageStatus) {
        if old.isRetrying {
            touchedRetrying = true
        } else if new.isRetrying {
            let due = due(of: index, new)
            earliestDue = min(earliestDue ?? due, due)
        }
    }

    /// Leaves the rest of the part unchanged and returns the change.
    mutating func finish() -> PartChange {
        var change = PartChange(unchanged: start)
        guard isChanged else { return change }
        countMove()
        change.isChanged = true
        change.changedNotes = notes.changed
        change.tally = tally
        change.progress.states = editor.finish()
        for entry in tally.entries { change.progress.counts.add(entry.count, to: entry.key.state) }
        change.progress.nextDue = nextDue(change.progress)
        if change.progress.counts.pending == 0 { change.progress.heldUntil = nil }
        change.progress.revision &+= 1
        return change
    }

    private func nextDue(_ progress: PartProgress) -> WallTime? {
        guard progress.counts.retrying > 0 else { return nil }
        if touchedRetrying { return notes.firstDue(progress.states) }
        return [start.nextDue, earliestDue].compactMap(\.self).min()
    }
}
