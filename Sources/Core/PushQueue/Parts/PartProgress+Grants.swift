package import PushModel

/// The messages of a part that can be granted. The part does not know which of them are already granted, or
/// to whom.
extension PartProgress {
    /// A retrying message that is due.
    package struct DueRetry: Equatable, Sendable {
        package let index: Int
        package let attempts: Int
        package let due: WallTime
    }

    /// Returns the pending messages within `range`, as ranges in order.
    package func pending(in range: Range<Int>) -> ContiguousArray<Range<Int>> {
        var found: ContiguousArray<Range<Int>> = []
        states.forEachRun(in: range) { range, status in
            guard status.isPending else { return }
            if let last = found.last, last.upperBound == range.lowerBound {
                found[found.count - 1] = last.lowerBound..<range.upperBound
            } else {
                found.append(range)
            }
        }
        return found
    }

    /// Returns the retrying messages that are due, by index.
    /// - Parameter notes: All notes of the part.
    package func dueRetries(at now: WallTime, notes: PartNotes) -> ContiguousArray<DueRetry> {
        guard let nextDue, nextDue <= now else { return [] }
        var found: ContiguousArray<DueRetry> = []
        var place = 0
        states.forEachRun(in: 0..<states.count) { range, status in
            guard status.isRetrying else { return }
            for index in range {
                while place < notes.count, notes.notes[place].index < index { place += 1 }
                let note = place < notes.count && notes.notes[place].index == index ? notes.notes[place] : nil
                // A message without a note is due from the time at which it began to wait.
                let due = note?.due ?? status.since
                guard due <= now else { continue }
                found.append(
                    DueRetry(
                        index: index, attempts: max(note?.attempts ?? 0, status.isTried ? 1 : 0), due: due))
            }
        }
        return found
    }

    /// Returns the number of the message's attempts that counted; 0 if the message does not exist.
    /// - Parameter notes: All notes of the part, or only the message's note.
    package func attempts(of index: Int, notes: PartNotes) -> Int {
        guard let status = states.status(at: index) else { return 0 }
        return max(notes[index]?.attempts ?? 0, status.isTried ? 1 : 0)
    }
}
