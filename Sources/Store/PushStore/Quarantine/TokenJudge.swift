internal import PushModel

/// Applies believed verdicts to their subscriptions, within the caller's transaction.
struct TokenJudge {
    var step = VerdictStep()
    /// The subscriptions that this call put into quarantine.
    private(set) var quarantined: [HeldVerdict] = []

    /// The subscriptions that this call has excluded. Two verdicts about the same subscription may be
    /// waiting: the second verdict then finds the subscription already excluded.
    private var excluded: Set<Int64> = []
    private let rules: QuarantineRules
    private let now: WallTime
    private let exclusion: any Statement
    private let note: any Statement
    private let known: any Statement

    init(rules: QuarantineRules, at now: WallTime, _ db: any Session) throws {
        self.rules = rules
        self.now = now
        exclusion = try db.statement(HotSQL.quarantineSubscription)
        note = try db.statement(HotSQL.noteError)
        known = try db.statement(HotSQL.errorsOfToken)
        exclusion.bind(QuarantineState.quarantined.rawValue, at: 2)
        note.bind(now.secondsSince1970, at: 5)
    }

    mutating func apply(_ verdict: HeldVerdict) throws {
        guard verdict.holds, !verdict.isExcluded, !excluded.contains(verdict.subscription) else {
            return step.ignored += 1
        }
        let before = try errors(of: verdict.subscription)
        if verdict.isDead {
            return try quarantine(verdict, errors: (before?.count ?? 0) + 1, lastError: verdict.decided.time)
        }
        var errors = before ?? TokenErrors(at: verdict.decided.time)
        if before != nil { errors.note(at: verdict.decided.time, under: rules) }
        if errors.quarantines(under: rules) {
            return try quarantine(verdict, errors: errors.count, lastError: errors.last)
        }
        step.counted += 1
        if errors != before {
            try write(verdict, state: .counting, errors: errors.count, lastError: errors.last)
        }
    }

    private mutating func quarantine(_ verdict: HeldVerdict, errors: Int, lastError: WallTime) throws {
        exclusion.bind(verdict.subscription, at: 1)
        try exclusion.run()
        excluded.insert(verdict.subscription)
        try write(verdict, state: .quarantined, errors: errors, lastError: lastError)
        step.quarantined += 1
        quarantined.append(verdict)
    }

    private func errors(of subscription: Int64) throws -> TokenErrors? {
        defer { known.reset() }
        known.bind(subscription, at: 1)
        guard try known.next() else { return nil }
        return TokenErrors(count: Int(known.integer(0)), last: WallTime(secondsSince1970: known.integer(1)))
    }

    private func write(_ verdict: HeldVerdict, state: QuarantineState, errors: Int, lastError: WallTime)
        throws
    {
        note.bind(verdict.subscription, at: 1)
        note.bind(state.rawValue, at: 2)
        note.bind(Int64(errors), at: 3)
        note.bind(lastError.secondsSince1970, at: 4)
        note.bind(QuarantineSource.answer.rawValue, at: 6)
        note.bind(verdict.reason, at: 7)
        note.bind(verdict.delivery.rawValue, at: 8)
        try note.run()
    }
}
