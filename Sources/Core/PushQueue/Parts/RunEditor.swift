/// Walks the runs of a part once, from the first message to the last, and builds new ones: keeps stretches,
/// replaces others. Costs what there is of runs and of replacements, and one array.
struct RunEditor {
    private let old: ContiguousArray<PartStates.Run>
    private var new = RunList()
    /// The run that the next message lies in.
    private var run = 0
    /// The next message.
    private(set) var position = 0

    init(_ states: PartStates) {
        old = states.runs
        // A few replacements split a few runs; more make it grow.
        new.reserve(old.count + 16)
    }

    /// Leaves everything before `index` as it is.
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

    /// The next messages of one status, those before `end`; nil: there are none. ``put(_:to:)`` goes on.
    func stretch(before end: Int) -> Stretch? {
        guard position < end, run < old.count else { return nil }
        return Stretch(status: old[run].status, range: position..<min(old[run].end, end))
    }

    /// Gives the messages before `end`, which must lie in the present stretch, this status.
    mutating func put(_ status: MessageStatus, to end: Int) {
        new.append(status, to: end)
        position = end
        if end >= old[run].end { run += 1 }
    }

    /// Leaves the rest as it is.
    mutating func finish() -> PartStates {
        keep(to: old.last?.end ?? 0)
        return PartStates(runs: new.runs)
    }
}

/// Neighbouring messages of one status.
struct Stretch {
    let status: MessageStatus
    let range: Range<Int>
}
