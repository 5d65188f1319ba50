package import PushModel

extension PartProgress {
    /// Reports whether ``apply(_:at:under:notes:)`` needs the part's notes for these outcomes. The notes are
    /// needed if some of the messages were tried before. They are not needed if all of the messages succeed
    /// at the first attempt.
    package func needsNotes(for outcomes: PartOutcomes) -> Bool {
        func isNoted(_ status: MessageStatus) -> Bool {
            !status.isSent && (status.isTried || status.isRetrying)
        }
        guard states.runs.contains(where: { isNoted($0.status) }) else { return false }
        return outcomes.accepted.contains { states.status(at: $0).map(isNoted) ?? false }
            || outcomes.others.contains { states.status(at: $0.index).map(isNoted) ?? false }
    }

    /// Applies outcomes: first the acceptances, then the other outcomes in their order.
    /// - Parameters:
    ///   - now: The time at which the outcomes are recorded.
    ///   - generation: The generation of the grant to which the outcomes belong. If it differs from the
    ///     part's, only acceptances count.
    ///   - notes: All notes of the part; `nil` if ``needsNotes(for:)`` returns `false`. If they are needed
    ///     but missing, attempts are counted too low and retries are due immediately.
    package func apply(
        _ outcomes: PartOutcomes, at now: WallTime, under generation: Int64, notes: PartNotes?
    ) -> PartChange {
        var walk = OutcomeWalk(self, outcomes, at: now, under: generation, notes: notes)
        return walk.run()
    }
}

private struct OutcomeWalk {
    private var walk: PartWalk
    private let count: Int
    private let outcomes: PartOutcomes
    private let accepted: MessageSet
    /// The next range of accepted messages. The range is cached, because searching for it at each outcome of
    /// another kind would cost more than everything else.
    private var nextAccepted: Range<Int>?
    private let isCurrent: Bool
    private let sent: MessageStatus
    private var sentByAcceptance = 0
    private var lateOthers: ContiguousArray<Int> = []

    init(
        _ progress: PartProgress, _ outcomes: PartOutcomes, at now: WallTime, under generation: Int64,
        notes: PartNotes?
    ) {
        walk = PartWalk(progress, notes: notes, at: now)
        count = progress.states.count
        self.outcomes = outcomes
        accepted = MessageSet(outcomes.accepted, limit: count)
        nextAccepted = accepted.nextRange(from: 0)
        isCurrent = generation == progress.generation
        sent = MessageStatus(.sent, isTried: true, since: now)
    }

    mutating func run() -> PartChange {
        let order = order()
        var next = 0
        while next < order.count {
            let index = outcomes.others[order[next]].index
            var end = next + 1
            while end < order.count, outcomes.others[order[end]].index == index { end += 1 }
            change(index, by: order[next..<end])
            next = end
        }
        accept(before: count)
        var change = walk.finish()
        change.late = outcomes.accepted.count - sentByAcceptance + lateOthers.count
        change.lateOthers = lateOthers
        return change
    }

    /// Returns the positions of the other outcomes, sorted by message. The outcomes of one message keep their
    /// order of arrival.
    private func order() -> ContiguousArray<Int> {
        let others = outcomes.others
        var order = ContiguousArray(others.indices)
        let isAscending = zip(others, others.dropFirst()).allSatisfy { $0.index <= $1.index }
        if !isAscending { order.sort { (others[$0].index, $0) < (others[$1].index, $1) } }
        return order
    }

    private mutating func accept(before end: Int) {
        while let range = nextAccepted, range.lowerBound < end {
            walk.keep(to: range.lowerBound)
            let stop = min(range.upperBound, end)
            while let stretch = walk.stretch(before: stop) {
                walk.put(accept(stretch.status, stretch.range), for: stretch)
            }
            nextAccepted = accepted.nextRange(from: stop)
        }
    }

    private mutating func accept(_ status: MessageStatus, _ range: Range<Int>) -> MessageStatus {
        guard !status.isSent else { return status }
        sentByAcceptance += range.count
        // Without an earlier attempt there is nothing to note.
        if status.isTried {
            for index in range { walk.note(index, attempts: walk.attempts(of: index, status) + 1) }
        }
        return sent
    }

    /// Applies the other outcomes of one message, after its acceptance if it has one.
    private mutating func change(_ index: Int, by positions: ContiguousArray<Int>.SubSequence) {
        guard index >= 0, index < count else {
            lateOthers.append(contentsOf: positions)
            return
        }
        accept(before: index)
        walk.keep(to: index)
        guard let stretch = walk.stretch(before: index + 1) else { return }
        var status = stretch.status
        if nextAccepted?.lowerBound == index {
            status = accept(status, stretch.range)
            nextAccepted = accepted.nextRange(from: index + 1)
        }
        for position in positions {
            if let next = apply(outcomes.others[position], to: status) {
                status = next
            } else {
                lateOthers.append(position)
            }
        }
        walk.redate(index, from: stretch.status, to: status)
        walk.put(status, for: stretch)
    }

    /// - Returns: The new status of the message; `nil` if the outcome changes nothing.
    private mutating func apply(_ outcome: PartOutcome, to status: MessageStatus) -> MessageStatus? {
        let attempts = walk.attempts(of: outcome.index, status)
        if case .sent = outcome.change {
            guard !status.isSent else { return nil }
        } else {
            guard status.isWaiting, isCurrent, attempts == outcome.attemptsBefore ?? attempts else {
                return nil
            }
        }
        var tried = attempts + (outcome.countsAttempt ? 1 : 0)
        var (state, cause) = (MessageState.sent, CauseCode.none)
        var (due, providerID): (WallTime?, String?)
        switch outcome.change {
        case .sent(let id): (tried, providerID) = (attempts + 1, id)
        case .failed(let why): (state, cause) = (.failed, why)
        case .retrying(let time, let why): (state, cause, due) = (.retrying, why, time)
        case .cancelled(let why): (state, cause) = (.cancelled, why)
        case .excluded(let why): (state, cause) = (.excluded, why)
        }
        walk.note(outcome.index, attempts: tried, due: due, providerID: providerID)
        return MessageStatus(state, isTried: tried > 0, cause: cause, since: walk.now)
    }
}
