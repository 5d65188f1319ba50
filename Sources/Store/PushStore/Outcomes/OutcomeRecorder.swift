internal import PushModel
internal import PushQueue

/// A recorder that applies the outcomes of one delivery to its parts, within the caller's transaction.
struct OutcomeRecorder {
    /// Whether the delivery may have ended: these outcomes ended the last waiting messages of some part, and
    /// none of the examined parts has waiting messages left.
    var mayHaveEnded: Bool { hasClosedPart && !hasOpenPart }
    /// The fault to report for outcomes that were omitted because their messages do not belong to the
    /// delivery, or because another host has their part; `nil` if no outcome was omitted.
    var fault: EngineFault? {
        if let (part, holder) = strange {
            return EngineFault(
                .leaseAndWrite,
                "\(leftOutCount) outcomes of delivery \(batch.delivery) belong to parts of other hosts, such "
                    + "as \(part.rawValue) of the host with term \(holder); they were omitted")
        }
        return leftOut.map { first in
            EngineFault(
                .outcomeAndPart,
                "\(leftOutCount) outcomes of delivery \(batch.delivery) belong to messages that are not its "
                    + "own, such as \(first.rawValue); they were omitted")
        }
    }
    private var leftOut: MessageID?
    private var leftOutCount = 0
    /// A part that another host has, and the term of that host.
    private var strange: (part: PartID, holder: Int64)?
    private var hasClosedPart = false
    private var hasOpenPart = false
    private let batch: OutcomeBatch
    private let moment: WallMoment
    private var now: WallTime { moment.time }
    private let table: PartTable
    private var causes: CauseStore
    private var tallies = TallyByApp()
    private let events: EndedEvents

    /// The outcomes of one part. Positions refer to ``OutcomeBatch/others``.
    struct Share {
        var stored: StoredPart
        var outcomes = PartOutcomes()
        var positions: ContiguousArray<Int> = []
    }

    init(_ batch: OutcomeBatch, at now: WallMoment, telling wanted: WantedEvents, _ db: any Session) {
        self.batch = batch
        moment = now
        events = EndedEvents(wanted)
        table = PartTable(db: db)
        causes = CauseStore(batch.delivery, db)
    }

    /// - Parameters:
    ///   - keep: Receives each outcome that changed its message and contains a verdict about that message's
    ///     token.
    ///   - prove: Called for each part, with a closure that returns the subscriptions whose tokens have
    ///     proved valid, in the order of their messages.
    mutating func record(
        keep: (MessageRecord, TokenVerdict, SubscriptionID) throws -> Void,
        prove: (() throws -> ContiguousArray<SubscriptionID>) throws -> Void
    ) throws {
        var quiet = try QuietRetries(batch, table.db)
        for var share in try shares() {
            let stored = share.stored
            try quiet?.move(&share.outcomes) { [table] in try table.members(of: stored.part) }
            let change = try apply(share)
            if change.progress.isOpen { hasOpenPart = true }
            if change.isChanged, !change.progress.isOpen { hasClosedPart = true }
            try keepVerdicts(share, change, keep)
            let (table, batch) = (table, batch)
            try prove { try Self.proven(share, batch, table) }
        }
        try TallyTable(db: table.db).add(tallies, of: batch.delivery)
        try events.write(of: batch.delivery, at: moment, table.db)
    }

    // MARK: Assigning outcomes to parts

    /// Assigns outcomes to parts. Answers arrive in nearly the order in which messages were sent, so
    /// consecutive outcomes mostly belong to the same part. Outcomes of messages that do not belong to this
    /// delivery are omitted.
    private mutating func shares() throws -> [Share] {
        var shares: [Share] = []
        var places = PartPlaces()
        // The part of the previous message. It is stored as plain values, without a reference count, because
        // it is checked for each message.
        var latest: (share: Int, messages: ClosedRange<Int64>)?
        func find(_ message: MessageID) throws -> (share: Int, index: Int)? {
            if let latest, latest.messages.contains(message.rawValue) {
                return (latest.share, Int(message.rawValue - latest.messages.lowerBound))
            }
            if let known = places.place(of: message), let index = shares[known].stored.index(of: message) {
                latest = (known, shares[known].stored.part.numbers)
                return (known, index)
            }
            guard let stored = try table.part(of: message, in: batch.delivery),
                let index = stored.index(of: message)
            else { return nil }
            if let holder = stored.holder, let own = table.db.term, holder != own {
                strange = (stored.part.id, holder)
                return nil
            }
            // If damaged parts claim the same numbers, one can hide another, so this part may already be in
            // the list.
            let found = places.insert(stored.part.id, at: shares.count)
            if found == shares.count { shares.append(Share(stored: stored)) }
            latest = (found, stored.part.numbers)
            return (found, index)
        }
        for message in batch.accepted {
            guard let (share, index) = try find(message) else {
                leaveOut(message)
                continue
            }
            shares[share].outcomes.accepted.append(index)
        }
        for (position, record) in batch.others.enumerated() {
            guard let (share, index) = try find(record.message) else {
                leaveOut(record.message)
                continue
            }
            shares[share].outcomes.others.append(try outcome(record, at: index))
            shares[share].positions.append(position)
        }
        return shares
    }

    private mutating func leaveOut(_ message: MessageID) {
        leftOut = leftOut ?? message
        leftOutCount += 1
    }

    private mutating func outcome(_ record: MessageRecord, at index: Int) throws -> PartOutcome {
        let change: PartOutcome.Change =
            switch record.change {
            case .sent(let providerID): .sent(providerID: providerID)
            case .failed(let type, let reason, let word):
                .failed(try causes.intern(Cause(type, reason, word: word)))
            case .retrying(let due, let type, let reason, let word):
                .retrying(due: due, try causes.intern(Cause(type, reason, word: word)))
            case .cancelled(let reason, let why): .cancelled(try causes.intern(Cause(nil, reason, word: why)))
            case .excluded(let reason, let why): .excluded(try causes.intern(Cause(nil, reason, word: why)))
            }
        return PartOutcome(
            index: index, change: change, countsAttempt: record.countsAttempt, attemptsBefore: nil)
    }

    // MARK: Applying outcomes

    private mutating func apply(_ share: Share) throws -> PartChange {
        let (table, now) = (table, now)
        func change(_ stored: StoredPart) throws -> PartChange {
            let wanted = stored.progress.needsNotes(for: share.outcomes)
            let notes = wanted ? try table.notes(of: stored.part.id) : nil
            return stored.progress.apply(
                share.outcomes, at: now, under: stored.progress.generation, notes: notes)
        }
        let first = try change(share.stored)
        if try table.write(first, of: share.stored) {
            tallies.add(first.tally, of: share.stored.part.app)
            try events.note(first, of: share.stored)
            return first
        }
        guard let (stored, again) = try table.change(share.stored.part.id, &tallies, change) else {
            throw ChangedMeanwhile()
        }
        try events.note(again, of: stored)
        return again
    }

    /// Keeps the verdicts about tokens. A verdict in a late answer is not kept.
    private func keepVerdicts(
        _ share: Share, _ change: PartChange,
        _ keep: (MessageRecord, TokenVerdict, SubscriptionID) throws -> Void
    ) throws {
        let late = Set(change.lateOthers)
        let kept = share.positions.indices.filter {
            !late.contains($0) && batch.others[share.positions[$0]].tokenVerdict != nil
        }
        guard !kept.isEmpty else { return }
        // The members are traversed only once. Verdicts keep the order in which they arrived.
        let indices = ContiguousArray(Set(kept.map { share.outcomes.others[$0].index }).sorted())
        let subscriptions = Dictionary(
            uniqueKeysWithValues: zip(
                indices, try table.members(of: share.stored.part).subscriptions(at: indices)))
        for position in kept {
            let record = batch.others[share.positions[position]]
            guard let verdict = record.tokenVerdict,
                let subscription = subscriptions[share.outcomes.others[position].index]
            else { continue }
            try keep(record, verdict, subscription)
        }
    }

    private static func proven(
        _ share: Share, _ batch: OutcomeBatch, _ table: PartTable
    ) throws -> ContiguousArray<SubscriptionID> {
        var sent = MessageSet(share.outcomes.accepted, limit: share.stored.count)
        for outcome in share.outcomes.others {
            if case .sent = outcome.change { sent.insert(outcome.index) }
        }
        guard !sent.isEmpty else { return [] }
        return try table.members(of: share.stored.part).subscriptions(at: sent.indices)
    }
}

/// The positions of parts in a list, by first number. The list can be long, because the outcomes of single
/// messages can belong to many parts.
private struct PartPlaces {
    /// The parts, sorted by number.
    private var parts: [(id: PartID, place: Int)] = []

    /// Returns how many parts begin at or before this number.
    private func count(upTo number: Int64) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].id.rawValue <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the place of the last part that begins at or before the message.
    func place(of message: MessageID) -> Int? {
        let count = count(upTo: message.rawValue)
        return count == 0 ? nil : parts[count - 1].place
    }

    /// - Returns: The place of the part. It differs from `place` if the part is already in the list.
    mutating func insert(_ part: PartID, at place: Int) -> Int {
        let count = count(upTo: part.rawValue)
        if count > 0, parts[count - 1].id == part { return parts[count - 1].place }
        parts.insert((part, place), at: count)
        return place
    }
}
