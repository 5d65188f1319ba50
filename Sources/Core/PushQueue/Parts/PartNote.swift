package import PushModel

/// What a run cannot say of a message: a row of its own, of which a delivery without trouble has none.
///
/// `due` counts only while the message is retrying; afterwards it is left as it was. The row outlives
/// success.
package struct PartNote: Equatable, Sendable {
    /// Of the message within its part.
    package let index: Int
    /// Attempts that counted. A note that says fewer than the message's status (0 or 1) was written before
    /// it.
    package let attempts: Int
    /// When a retrying message goes again.
    package let due: WallTime?
    /// What the gateway's own log calls the message.
    package let providerID: String?

    static let mostAttempts = 1_000_000

    /// - Parameter attempts: what no message can have had becomes the nearest that one can.
    package init(index: Int, attempts: Int, due: WallTime? = nil, providerID: String? = nil) {
        self.index = index
        self.attempts = min(max(attempts, 0), Self.mostAttempts)
        self.due = due
        self.providerID = providerID
    }
}

/// The notes of a part, by index.
package struct PartNotes: Equatable, Sendable {
    package private(set) var notes: ContiguousArray<PartNote> = []

    package init() {}

    /// In any order; of several for one message the last counts.
    package init(_ notes: some Sequence<PartNote>) { self.init(ContiguousArray(notes)) }

    /// The same, in another module for each part.
    package init(_ notes: ContiguousArray<PartNote>) {
        guard !notes.isEmpty else { return }
        var sorted = notes
        let isAscending = zip(sorted, sorted.dropFirst()).allSatisfy { $0.index < $1.index }
        if !isAscending {
            // Sorting is stable: the last one stays last.
            sorted.sort { $0.index < $1.index }
            var single: ContiguousArray<PartNote> = []
            for note in sorted {
                if single.last?.index == note.index { single.removeLast() }
                single.append(note)
            }
            sorted = single
        }
        self.notes = sorted
    }

    package var count: Int { notes.count }
    package var isEmpty: Bool { notes.isEmpty }

    package subscript(_ index: Int) -> PartNote? {
        let place = place(of: index)
        return place < notes.count && notes[place].index == index ? notes[place] : nil
    }

    /// The first note of that message or a later one.
    private func place(of index: Int) -> Int {
        var (low, high) = (0, notes.count)
        while low < high {
            let middle = (low + high) / 2
            if notes[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// With these, which are in the order of messages, in place of those of the same messages.
    package func replacing(_ changed: ContiguousArray<PartNote>) -> PartNotes {
        guard !changed.isEmpty else { return self }
        var merged = PartNotes()
        merged.notes.reserveCapacity(notes.count + changed.count)
        var old = notes[...]
        for note in changed {
            while let first = old.first, first.index < note.index {
                merged.notes.append(first)
                old = old.dropFirst()
            }
            if old.first?.index == note.index { old = old.dropFirst() }
            merged.notes.append(note)
        }
        merged.notes.append(contentsOf: old)
        return merged
    }
}

/// Reads and rewrites notes in the order of messages.
struct NoteEditor {
    private let old: ContiguousArray<PartNote>
    private var cursor = 0
    private(set) var changed: ContiguousArray<PartNote> = []

    init(_ notes: PartNotes) { old = notes.notes }

    /// The note of a message that is not before the last one asked for.
    mutating func note(of index: Int) -> PartNote? {
        if let last = changed.last, last.index == index { return last }
        while cursor < old.count, old[cursor].index < index { cursor += 1 }
        return cursor < old.count && old[cursor].index == index ? old[cursor] : nil
    }

    /// Of a message that is not before the last one written.
    mutating func write(_ note: PartNote) {
        if changed.last?.index == note.index { changed.removeLast() }
        changed.append(note)
    }

    /// When the first retrying message is due, by the notes as they are now; nil: none is retrying.
    func firstDue(_ states: PartStates) -> WallTime? {
        var earliest: WallTime?
        var start = 0
        var (oldPlace, changedPlace) = (old.startIndex, changed.startIndex)
        for run in states.runs {
            defer { start = run.end }
            guard run.status.isRetrying else { continue }
            var noted = 0
            func take(_ note: PartNote) {
                guard let due = note.due else { return }
                noted += 1
                earliest = min(earliest ?? due, due)
            }
            while oldPlace < old.count, old[oldPlace].index < start { oldPlace += 1 }
            while changedPlace < changed.count, changed[changedPlace].index < start { changedPlace += 1 }
            while true {
                let oldIndex = oldPlace < old.count ? old[oldPlace].index : .max
                let changedIndex = changedPlace < changed.count ? changed[changedPlace].index : .max
                guard min(oldIndex, changedIndex) < run.end else { break }
                // Of two for one message the changed one counts.
                take(changedIndex <= oldIndex ? changed[changedPlace] : old[oldPlace])
                if oldIndex <= changedIndex { oldPlace += 1 }
                if changedIndex <= oldIndex { changedPlace += 1 }
            }
            // Those without a note are due since they wait.
            if noted < run.end - start { earliest = min(earliest ?? run.status.since, run.status.since) }
        }
        return earliest
    }
}
