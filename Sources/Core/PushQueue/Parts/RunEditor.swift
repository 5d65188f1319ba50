/// A single walk over the runs of a part, from the first message to the last, that builds new runs: it keeps
/// some stretches and replaces others. The cost is linear in the number of runs and replacements, plus one
/// array.
struct RunEditor {
    private let old: ContiguousArray<PartStates.Run>
    private var new = RunList()
    /// The run that contains the next message.
    private var run = 0
    /// The index of the next message.
    private(set) var position = 0

    init(_ states: PartStates) {
        old = states.runs
        // A few replacements split a few runs; if there are more, the array grows.
        new.reserve(old.count + 16)
    }

    /// Leaves everything before `index` unchanged.
    mutating func keep(to index: Int) {
        guard index > position else { return }
        var next = run
        while next < old.count, old[next].end <= index { next += 1 }
        if next > run {
            new.append(contentsOf: old[run..<next])
            position = old[next - 1].end
            run = next
        }
        guard position < index, run < old.count else { return }
        new.append(old[run].status, to: index)
        position = index
    }

    /// Returns the next messages before `end` that have the same status; `nil` if there are none.
    /// ``put(_:to:)`` moves past them.
    func stretch(before end: Int) -> StatusRange? {
        guard position < end, run < old.count else { return nil }
        return StatusRange(status: old[run].status, range: position..<min(old[run].end, end))
    }

    /// Gives this status to the messages before `end`, which must lie in the current stretch.
    mutating func put(_ status: MessageStatus, to end: Int) {
        new.append(status, to: end)
        position = end
        if end >= old[run].end { run += 1 }
    }

    /// Leaves the rest unchanged and returns the new states.
    mutating func finish() -> PartStates {
        keep(to: old.last?.end ?? 0)
        return PartStates(runs: new.runs)
    }
}

/// Neighbouring messages with the same status.
struct StatusRange {
    let status: MessageStatus
    let range: Range<Int>
}
