package import PushModel

/// What of a part can be granted. Who has which of it already is not the part's to know.
extension PartProgress {
    /// A message that is due again.
    package struct DueRetry: Equatable, Sendable {
        package let index: Int
        package let attempts: Int
        package let due: WallTime
    }

    /// The pending messages within `range`: ranges without pending messages between them, in order.
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

    /// The retrying messages whose time has come, by index.
    /// - Parameter notes: all of the part.
    package func dueRetries(at now: WallTime, notes: PartNotes) -> ContiguousArray<DueRetry> {
        guard let nextDue, nextDue <= now else { return [] }
        var found: ContiguousArray<DueRetry> = []
        var place = 0
        states.forEachRun(in: 0..<states.count) { range, status in
            guard status.isRetrying else { return }
            for index in range {
                while place < notes.count, notes.notes[place].index < index { place += 1 }
                let note = place < notes.count && notes.notes[place].index == index ? notes.notes[place] : nil
                // One without a note is due since it waits.
                let due = note?.due ?? status.since
                guard due <= now else { continue }
                found.append(
                    DueRetry(
                        index: index, attempts: max(note?.attempts ?? 0, status.isTried ? 1 : 0), due: due))
            }
        }
        return found
    }

    /// Attempts of the message that counted; 0 where there is no such message.
    /// - Parameter notes: all of the part, or that of the message.
    package func attempts(of index: Int, notes: PartNotes) -> Int {
        guard let status = states.status(at: index) else { return 0 }
        return max(notes[index]?.attempts ?? 0, status.isTried ? 1 : 0)
    }
}
