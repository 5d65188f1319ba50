import PushModel
import PushQueue

/// A store that keeps parts as the real store does: rows, compare-and-set on the revision, notes and tallies.
/// Each part is accompanied by a plain part that must have the same state.
struct StoryStore {
    struct Stored {
        let app: AppID
        let count: Int
        var row: PartProgress.Row
        var notes = PartNotes()
        var plain: NaivePart
        /// The decoded `row`, for recounts.
        var truth: PartProgress
    }

    var parts: [Int: Stored] = [:]
    var tallies = TallyByApp()
    private(set) var complaints: [String] = []
    /// The number of writes whose copy was outdated.
    private(set) var misses = 0
    /// The number of writes that were made and changed a part.
    private(set) var changes = 0

    mutating func complain(_ text: String) { if complaints.count < 10 { complaints.append(text) } }

    mutating func add(_ number: Int, app: AppID, _ progress: PartProgress) {
        parts[number] = Stored(
            app: app, count: progress.states.count, row: progress.row,
            plain: NaivePart(progress.states, deadline: progress.deadline), truth: progress)
        tallies.add(progress.states.tally(), of: app)
    }

    /// Removes a part that is complete, as retention does.
    mutating func remove(_ number: Int) {
        guard let part = parts.removeValue(forKey: number) else { return }
        var less = Tally()
        for entry in part.truth.states.tally().entries { less.add(-entry.count, to: entry.key) }
        tallies.add(less, of: part.app)
    }

    func load(_ number: Int) throws -> (progress: PartProgress, notes: PartNotes)? {
        guard let part = parts[number] else { return nil }
        return (try PartProgress(part.row, count: part.count), part.notes)
    }

    /// Gives a part a new owner, as a statement of the store does.
    mutating func takeOver(_ number: Int) {
        guard var part = parts[number] else { return }
        part.row.takeOver()
        guard let progress = try? PartProgress(part.row, count: part.count) else {
            return complain("part \(number) cannot be read after a take-over")
        }
        part.truth = progress
        part.plain.generation += 1
        parts[number] = part
    }

    /// Writes with compare-and-set.
    /// - Returns: Whether the change was made from the store's current copy.
    mutating func write(_ number: Int, from revision: Int64, _ change: PartChange) -> Bool {
        guard var part = parts[number], part.row.revision == revision else {
            misses += 1
            return false
        }
        guard change.isChanged else {
            if !change.tally.isEmpty || !change.changedNotes.isEmpty {
                complain("no change, and one to write")
            }
            return true
        }
        if change.progress.revision == revision { complain("a change without a new revision") }
        changes += 1
        part.row = change.progress.row
        part.notes = part.notes.replacing(change.changedNotes)
        part.truth = change.progress
        parts[number] = part
        tallies.add(change.tally, of: part.app)
        return true
    }

    /// Checks the conditions that must hold after every step.
    mutating func check(_ touched: Int) {
        let recount = TallyByApp.recount(parts.values.map { (app: $0.app, states: $0.truth.states) })
        if recount != tallies { complain("the tallies are not what the parts add up to") }
        guard let part = parts[touched] else { return }
        if let read = try? PartProgress(part.row, count: part.count) {
            if read != part.truth { complain("part \(touched) reads back as another") }
        } else {
            complain("part \(touched) cannot be read back")
        }
        if part.truth.counts != part.truth.states.counts() { complain("counts of part \(touched)") }
        if let text = part.plain.complaint(about: part.truth, part.notes) {
            complain("part \(touched): \(text)")
        }
    }
}

extension PartProgress.Row {
    /// Messages that were granted before may only become sent.
    mutating func takeOver() {
        generation += 1
        revision += 1
    }
}
