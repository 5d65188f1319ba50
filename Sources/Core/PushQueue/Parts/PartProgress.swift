package import PushModel

/// The half of a part that changes: where each of its messages stands, and when there is something to do for
/// it.
///
/// This is the law of a part. Every change is a function from this value to the next one, with what the store
/// has to write beside it (``PartChange``).
///
/// **Promises.**
/// - `sent` beats everything, whoever says it and however late: the gateway took the message.
/// - Any other outcome changes only what waits (pending, retrying), only under the current generation, and
///   only once where it says which attempt it was. What comes late or twice changes nothing.
/// - A message that has ended stays ended, unless it becomes sent, or ``reopen(at:deadline:where:)`` lets a
///   failed one wait again.
/// - ``counts``, ``nextDue`` and ``isOpen`` are what the states and the notes say, after every change.
/// - A change that changes nothing keeps ``revision``, and need not be written.
///
/// **Neighbours.** The store compares ``revision`` with the one that it read and sets all in one statement;
/// on a miss it loads anew and applies anew. Who has which message at the moment is not the part's to know.
package struct PartProgress: Equatable, Sendable {
    package internal(set) var states: PartStates
    package internal(set) var counts: DeliveryCounts
    /// When the first of the retrying messages is due; nil: none is retrying.
    package internal(set) var nextDue: WallTime?
    /// Nothing pending of it is granted before, and the search does not find it; nil: nothing holds it.
    package internal(set) var heldUntil: WallTime?
    /// After it nothing of the part is sent.
    package internal(set) var deadline: WallTime
    /// Rises when another host takes the part over: what was granted before may only be known as sent.
    package internal(set) var generation: Int64
    /// Rises with every change.
    package internal(set) var revision: Int64

    /// A part as preparation makes it: messages are pending or excluded.
    /// - Parameter due: when what is pending may be granted; nil: at once.
    package init(states: PartStates, deadline: WallTime, due: WallTime? = nil) {
        self.states = states
        counts = states.counts()
        nextDue = nil
        heldUntil = counts.pending > 0 ? due : nil
        self.deadline = deadline
        generation = 1
        revision = 1
    }

    /// Pending and retrying messages.
    package var waiting: Int { counts.pending + counts.retrying }
    /// Whether anything is left to be done.
    package var isOpen: Bool { waiting > 0 }
    /// Whether anything waits for its first pass, and may have it now.
    package var hasPending: Bool { counts.pending > 0 && heldUntil == nil }

    /// What the store keeps of it, a column each.
    package struct Row: Equatable, Sendable {
        /// ``PartStates/encoded``.
        package var states: [UInt8]
        package var waiting: Int64
        /// Seconds since 1970, as is ``deadline``.
        package var nextDue: Int64?
        package var isOpen: Bool
        package var hasPending: Bool
        package var deadline: Int64
        package var generation: Int64
        package var revision: Int64
        package var heldUntil: Int64?

        package init(
            states: [UInt8], waiting: Int64, nextDue: Int64?, isOpen: Bool, hasPending: Bool, deadline: Int64,
            generation: Int64, revision: Int64, heldUntil: Int64? = nil
        ) {
            self.states = states
            self.waiting = waiting
            self.nextDue = nextDue
            self.isOpen = isOpen
            self.hasPending = hasPending
            self.deadline = deadline
            self.generation = generation
            self.revision = revision
            self.heldUntil = heldUntil
        }
    }

    package var row: Row {
        Row(
            states: states.encoded, waiting: Int64(waiting), nextDue: nextDue?.secondsSince1970,
            isOpen: isOpen,
            hasPending: hasPending, deadline: deadline.secondsSince1970, generation: generation,
            revision: revision, heldUntil: heldUntil?.secondsSince1970)
    }

    /// - Parameter count: of messages, as the part's other row has it.
    package init(_ row: Row, count: Int) throws(PartDamage) {
        states = try PartStates(decoding: row.states, count: count)
        counts = states.counts()
        nextDue = row.nextDue.map(WallTime.init(secondsSince1970:))
        heldUntil = row.heldUntil.map(WallTime.init(secondsSince1970:))
        deadline = WallTime(secondsSince1970: row.deadline)
        generation = row.generation
        revision = row.revision
        guard row.waiting == Int64(waiting) else {
            throw PartDamage(.progress, .disagrees(column: "waiting"))
        }
        guard row.isOpen == isOpen else { throw PartDamage(.progress, .disagrees(column: "open")) }
        guard row.hasPending == hasPending else {
            throw PartDamage(.progress, .disagrees(column: "has pending"))
        }
        guard heldUntil == nil || counts.pending > 0 else {
            throw PartDamage(.progress, .disagrees(column: "held until"))
        }
        // Without it nobody would ever look for these messages.
        guard (nextDue != nil) == (counts.retrying > 0) else {
            throw PartDamage(.progress, .disagrees(column: "next due"))
        }
    }

    /// What the states and notes say, whatever the other columns do: for a row that disagrees with itself.
    /// - Parameter count: of messages, as the part's other row has it.
    package init(mending row: Row, count: Int, notes: PartNotes) throws(PartDamage) {
        states = try PartStates(decoding: row.states, count: count)
        counts = states.counts()
        nextDue = NoteEditor(notes).firstDue(states)
        heldUntil = counts.pending > 0 ? row.heldUntil.map(WallTime.init(secondsSince1970:)) : nil
        deadline = WallTime(secondsSince1970: row.deadline)
        generation = row.generation
        revision = row.revision &+ 1
    }
}

/// What a part becomes, and what is to be written with it in the same transaction.
package struct PartChange: Sendable {
    package internal(set) var progress: PartProgress
    /// Notes to be written, by index.
    package internal(set) var changedNotes: ContiguousArray<PartNote> = []
    /// To be added to the app's tally.
    package internal(set) var tally = Tally()
    /// Outcomes that changed nothing.
    package internal(set) var late = 0
    /// Which of ``PartOutcomes/others`` these were, by position: what such an answer says of a token is not
    /// kept.
    package internal(set) var lateOthers: ContiguousArray<Int> = []
    /// Whether there is anything to write. Where not, a part that came from a cache must still be the
    /// store's: by its ``PartProgress/revision``, as at a write.
    package internal(set) var isChanged = false

    init(unchanged progress: PartProgress) { self.progress = progress }
}
