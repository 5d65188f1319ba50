package import PushModel

/// The details of a message that do not fit into a run. Each note is a separate row; a delivery without
/// problems has no notes.
///
/// `due` counts only while the message is retrying; afterwards it keeps its last value. The row remains after
/// the message is sent.
package struct PartNote: Equatable, Sendable {
    /// The index of the message within its part.
    package let index: Int
    /// The number of attempts that counted. If it is lower than the number in the message's status (0 or 1),
    /// the note was written before the status.
    package let attempts: Int
    /// The time at which a retrying message is sent again.
    package let due: WallTime?
    /// The message's id in the gateway's own log.
    package let providerID: String?

    static let maxAttempts = 1_000_000

    /// - Parameter attempts: A value outside the possible range is replaced by the nearest possible one.
    package init(index: Int, attempts: Int, due: WallTime? = nil, providerID: String? = nil) {
        self.index = index
        self.attempts = min(max(attempts, 0), Self.maxAttempts)
        self.due = due
        self.providerID = providerID
    }
}

/// The notes of a part, by index.
package struct PartNotes: Equatable, Sendable {
    package private(set) var notes: ContiguousArray<PartNote> = []

    package init() {}

    /// Accepts notes in any order. If there are several for one message, the last counts.
    package init(_ notes: some Sequence<PartNote>) { self.init(ContiguousArray(notes)) }

    /// Creates the same value as the generic initialiser. Other modules call this one for each part, because
    /// it is faster.
    package init(_ notes: ContiguousArray<PartNote>) {
        guard !notes.isEmpty else { return }
        var sorted = notes
        let isAscending = zip(sorted, sorted.dropFirst()).allSatisfy { $0.index < $1.index }
        if !isAscending {
            // Sorting is stable, so the last note of a message stays last.
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

    /// Returns the position of the first note for that message or a later one.
    private func place(of index: Int) -> Int {
        var (low, high) = (0, notes.count)
        while low < high {
            let middle = (low + high) / 2
            if notes[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns these notes with the changed notes added. A changed note replaces the old note of the same
    /// message.
    /// - Parameter changed: Notes in message order.
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

/// A reader and writer of notes that proceeds in message order.
struct NoteEditor {
    private let old: ContiguousArray<PartNote>
    private var cursor = 0
    private(set) var changed: ContiguousArray<PartNote> = []

    init(_ notes: PartNotes) { old = notes.notes }

    /// Returns the note of a message. The message must not precede the last one requested.
    mutating func note(of index: Int) -> PartNote? {
        if let last = changed.last, last.index == index { return last }
        while cursor < old.count, old[cursor].index < index { cursor += 1 }
        return cursor < old.count && old[cursor].index == index ? old[cursor] : nil
    }

    /// Writes the note of a message. The message must not precede the last one written.
    mutating func write(_ note: PartNote) {
        if changed.last?.index == note.index { changed.removeLast() }
        changed.append(note)
    }

    /// Returns the time at which the first retrying message is due, according to the current notes; `nil` if
    /// none is retrying.
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
                // If a message has both an old and a changed note, the changed note counts.
                take(changedIndex <= oldIndex ? changed[changedPlace] : old[oldPlace])
                if oldIndex <= changedIndex { oldPlace += 1 }
                if changedIndex <= oldIndex { changedPlace += 1 }
            }
            // Messages without a note are due from the time at which they began to wait.
            if noted < run.end - start { earliest = min(earliest ?? run.status.since, run.status.since) }
        }
        return earliest
    }
}
