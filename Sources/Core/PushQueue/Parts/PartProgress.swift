package import PushModel

/// The half of a part that changes: the status of each message, and the times at which the part has work to
/// do.
///
/// This type defines the rules of a part. Every change is a function from this value to the next one,
/// together with the rows that the store must write with it (``PartChange``).
///
/// **Promises.**
/// - `sent` overrides every other state, regardless of who reports it and how late, because the gateway took
///   the message.
/// - Any other outcome changes only waiting messages (pending, retrying), only under the current generation,
///   and only once if it states its attempt. Late or duplicate outcomes change nothing.
/// - A message that has ended stays ended, unless it reaches the state `sent`, or
///   ``reopen(_:at:deadline:notes:)`` makes a failed message wait again.
/// - ``counts``, ``nextDue`` and ``isOpen`` agree with the states and the notes after every change.
/// - A change that changes nothing keeps ``revision``, and need not be written.
///
/// **Neighbours.** The store compares ``revision`` with the revision that it read, and writes all columns in
/// one statement. If the revisions differ, the store loads the part and applies the change again. The part
/// does not know who currently has which message.
package struct PartProgress: Equatable, Sendable {
    package internal(set) var states: PartStates
    package internal(set) var counts: DeliveryCounts
    /// The time at which the first retrying message is due; `nil` if none is retrying.
    package internal(set) var nextDue: WallTime?
    /// The time until which the pending messages are held back; `nil` if they are not held back. Until then,
    /// none of them is granted, and the search does not find the part.
    package internal(set) var heldUntil: WallTime?
    /// The time after which no message of the part is sent.
    package internal(set) var deadline: WallTime
    /// A number that increases when another host takes over the part. For messages that were granted earlier,
    /// only acceptances count from then on.
    package internal(set) var generation: Int64
    /// A number that increases with every change.
    package internal(set) var revision: Int64

    /// Creates a part as preparation makes it: messages are pending or excluded.
    /// - Parameter due: The time from which pending messages may be granted; `nil` if they may be granted
    ///   immediately.
    package init(states: PartStates, deadline: WallTime, due: WallTime? = nil) {
        self.states = states
        counts = states.counts()
        nextDue = nil
        heldUntil = counts.pending > 0 ? due : nil
        self.deadline = deadline
        generation = 1
        revision = 1
    }

    /// The number of pending and retrying messages.
    package var waiting: Int { counts.pending + counts.retrying }
    /// Whether the part has work left.
    package var isOpen: Bool { waiting > 0 }
    /// Whether the part has messages that wait for their first attempt and may be granted now.
    package var hasPending: Bool { counts.pending > 0 && heldUntil == nil }

    /// The columns in which the store keeps the value.
    package struct Row: Equatable, Sendable {
        /// ``PartStates/encoded``.
        package var states: [UInt8]
        package var waiting: Int64
        /// The due time in seconds since 1970, as in ``deadline``.
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

    /// - Parameter count: The number of messages, according to the part's other row.
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
        // Without `nextDue`, the search would never find these messages.
        guard (nextDue != nil) == (counts.retrying > 0) else {
            throw PartDamage(.progress, .disagrees(column: "next due"))
        }
    }

    /// Rebuilds the value from the states and notes, whatever the derived columns contain. This is for a row
    /// whose columns contradict each other.
    /// - Parameter count: The number of messages, according to the part's other row.
    package init(repairing row: Row, count: Int, notes: PartNotes) throws(PartDamage) {
        states = try PartStates(decoding: row.states, count: count)
        counts = states.counts()
        nextDue = NoteEditor(notes).firstDue(states)
        heldUntil = counts.pending > 0 ? row.heldUntil.map(WallTime.init(secondsSince1970:)) : nil
        deadline = WallTime(secondsSince1970: row.deadline)
        generation = row.generation
        revision = row.revision &+ 1
    }
}

/// The new value of a part, and the rows that must be written with it in the same transaction.
package struct PartChange: Sendable {
    package internal(set) var progress: PartProgress
    /// Notes to be written, by index.
    package internal(set) var changedNotes: ContiguousArray<PartNote> = []
    /// The change to be added to the app's tally.
    package internal(set) var tally = Tally()
    /// The number of outcomes that changed nothing.
    package internal(set) var late = 0
    /// The positions in ``PartOutcomes/others`` of the outcomes that changed nothing. Anything that such an
    /// outcome reports about a token is discarded.
    package internal(set) var lateOthers: ContiguousArray<Int> = []
    /// Whether there is anything to write. If not, and the part came from a cache, its
    /// ``PartProgress/revision`` must still be compared with the store's, as before a write.
    package internal(set) var isChanged = false

    init(unchanged progress: PartProgress) { self.progress = progress }
}
