package import PushModel

/// What of a part can be granted. Who has which of it already is not the part's to know.
extension PartProgress {
    /// Neighbouring pending messages.
    package struct Pending: Equatable, Sendable {
        package let range: Range<Int>
        /// Whether they had attempts before they were let wait again: then their notes say how many.
        package let isTried: Bool
    }

    /// A message that is due again.
    package struct DueRetry: Equatable, Sendable {
        package let index: Int
        package let attempts: Int
        package let due: WallTime
    }

    /// The pending messages within `range`, in order.
    package func pending(in range: Range<Int>) -> ContiguousArray<Pending> {
        var found: ContiguousArray<Pending> = []
        states.forEachRun(in: range) { range, status in
            guard status.isPending else { return }
            if let last = found.last, last.range.upperBound == range.lowerBound, last.isTried == status.isTried {
                found.removeLast()
                found.append(Pending(range: last.range.lowerBound..<range.upperBound, isTried: status.isTried))
            } else {
                found.append(Pending(range: range, isTried: status.isTried))
            }
        }
        return found
    }

    /// The retrying messages whose time has come, by due time and index.
    /// - Parameter notes: all of the part.
    package func dueRetries(at now: WallTime, notes: PartNotes, limit: Int) -> ContiguousArray<DueRetry> {
        guard let nextDue, nextDue <= now, limit > 0 else { return [] }
        var found: ContiguousArray<DueRetry> = []
        var place = 0
        states.forEachRun(in: 0..<states.count) { range, status in
            guard status.isRetrying else { return }
            for index in range {
                while place < notes.count, notes.notes[place].index < index { place += 1 }
                let note = place < notes.count && notes.notes[place].index == index ? notes.notes[place] : nil
                // One without a note goes at once rather than never.
                let due = note?.due ?? PartNotes.atOnce
                guard due <= now else { continue }
                found.append(
                    DueRetry(index: index, attempts: max(note?.attempts ?? 0, status.isTried ? 1 : 0), due: due))
            }
        }
        found.sort { ($0.due, $0.index) < ($1.due, $1.index) }
        if found.count > limit { found.removeLast(found.count - limit) }
        return found
    }

    /// Attempts of the message that counted; 0 where there is no such message.
    /// - Parameter notes: all of the part, or that of the message.
    package func attempts(of index: Int, notes: PartNotes) -> Int {
        guard let status = states.status(at: index) else { return 0 }
        return max(notes[index]?.attempts ?? 0, status.isTried ? 1 : 0)
    }
}
