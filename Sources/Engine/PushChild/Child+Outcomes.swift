internal import GatewayKit
internal import PushModel
internal import PushSchedule
internal import PushTransport
internal import PushWire

/// The ways in which messages end and are reported, each exactly once.
extension Child {
    func finish(_ tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag) else { return }
        let entry = frame.entry(at: GrantRun.offset(of: tag))
        outcomes.append(outcome, message: entry.message, attempts: entry.attempts, grant: frame.grant)
        noteOutcome()
        close(tag)
    }

    @inline(__always)
    @discardableResult
    func close(_ tag: UInt64) -> GrantTable.Ended? {
        if !tries.isEmpty { tries[tag] = nil }
        return grants.close(tag)
    }

    @inline(__always)
    func noteOutcome() {
        if oldestOutcome == nil { oldestOutcome = now }
        if outcomes.count >= ChildLink.maximumOutcomes { sendOutcomes() }
    }

    func sendOutcomes() {
        lastWork = now
        link.send(outcomes.finish(since: oldestOutcome))
        oldestOutcome = nil
    }

    func report() {
        guard let oldestOutcome, outcomes.count > 0 else { return }
        let isOld = now >= oldestOutcome.advanced(byMilliseconds: Self.reportAfterMilliseconds)
        if isOld || outcomes.count >= ChildLink.maximumOutcomes / 2 || grants.isEmpty { sendOutcomes() }
    }

    /// Gives back all of the account's messages that are not in flight, without sending them.
    func giveBackAll(_ queue: AccountQueue, _ outcome: Outcome) {
        for tag in queue.again { finish(tag, outcome) }
        queue.again = []
        for place in queue.grants.removeAll() { giveBack(grant: place, outcome) }
        turns.leave(queue.account)
    }

    /// Gives back the account's messages that belong to certain jobs and are not in flight, without sending
    /// them.
    func giveBack(_ queue: AccountQueue, _ outcome: Outcome, where isMeant: (JobID) -> Bool) {
        func isOut(_ place: Int) -> Bool { grants[place].map { isMeant($0.frame.job) } ?? false }
        for place in queue.grants.removeAll(where: isOut) { giveBack(grant: place, outcome) }
        let again = queue.again.filter { isOut(GrantRun.place(of: $0)) }
        guard !again.isEmpty else { return }
        queue.again.removeAll { isOut(GrantRun.place(of: $0)) }
        for tag in again { finish(tag, outcome) }
    }

    /// Gives back messages that are too old. Without this, messages might wait for credit indefinitely,
    /// because a gateway may allow no stream for a long time.
    func giveBackStale(_ queue: AccountQueue, _ wall: WallTime) {
        func isOver(_ place: Int) -> Bool { grants[place].map { isStale($0, wall) } ?? true }
        for place in queue.grants.removeAll(where: isOver) { giveBack(grant: place, .stale) }
        for tag in queue.again where isOver(GrantRun.place(of: tag)) { finish(tag, .stale) }
        queue.again.removeAll { grants.frame(of: $0) == nil || isOver(GrantRun.place(of: $0)) }
    }

    /// Ends every unsubmitted message of a grant with the same outcome.
    func giveBack(grant place: Int, _ outcome: Outcome) {
        guard let grant = grants[place] else { return }
        var offset = grant.cursor
        for _ in 0..<grant.unsubmitted {
            let next = grant.frame.entry(at: offset).next
            grants.advance(place, to: next, by: 1)
            finish(GrantRun.tag(place: place, offset: offset), outcome)
            offset = next
        }
    }
}

/// Outcomes that the child itself determines. They concern neither the account, because its gateway was not
/// contacted, nor the token.
extension Outcome {
    /// The message goes back as if it had never been granted, because its validity has ended, its job has
    /// ended, it was in the child for too long, or the child is ending.
    static var stale: Outcome {
        .neverSent(.ours(.account, .undefined), reason: "(not submitted)")
    }

    /// The content cannot be compiled for the app.
    static func unusable(_ why: String) -> Outcome {
        .rejected(.ours(.transient, .refused), reason: "(\(why))")
    }

    static var addressless: Outcome {
        .rejected(.ours(.transient, .addressNotSpecified), reason: "(the subscription was removed)")
    }
}

extension Verdict {
    /// The message goes back as if it had never been granted, because the gateway requested a pause.
    static let pause = ours(.account, .undefined)

    static func ours(_ scope: Scope, _ reason: FailureReason) -> Verdict {
        Verdict(
            scope: scope, schedule: .none, countsAttempt: false, failureType: .undefined,
            failureReason: reason,
            quarantine: .no)
    }
}
