internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem

/// Judges the verdicts about tokens that the store holds, by the pure ``StormRule``. Lives on the store writer's
/// thread; what it changes are units of the write service.
///
/// **Promises.** A verdict is applied only after its account was judged believable, or after it has waited for
/// `holdDelay` without contrary evidence; a storm is declared, reported to the loop and stays until an operator
/// resolves it. **Failures.** The store's; the next ``review()`` finds again what could not be written.
struct TokenVerdictProcessor {
    private let service: WriteService
    private let store: Store
    private let loop: Mailbox<LoopEvent>
    private let rules: SharedRules

    /// Their cleared verdicts are applied, some at a time.
    private var settling: [AccountKey] = []
    /// Nothing more will be heard of these for now.
    private var resting: [AccountKey] = []
    /// Storms that an operator has not resolved, as the loop was told; nil: it was told nothing yet.
    private var known: Set<AccountKey>?
    private var nextCleaning: MonotonicTime?
    private static let cleaningSeconds: Int64 = 3_600
    /// What one call of ``VerdictWriter/settleCleared(_:rules:at:)`` changes at most.
    private static let rowsPerStep = 4_000

    init(
        service: WriteService, store: Store, loop: Mailbox<LoopEvent>, rules: SharedRules
    ) {
        self.service = service
        self.store = store
        self.loop = loop
        self.rules = rules
    }

    /// What was judged in it.
    mutating func note(_ judgements: [AccountJudgement]) {
        for judged in judgements { note(judged) }
    }

    mutating func rests(_ account: AccountKey) {
        if !resting.contains(account) { resting.append(account) }
    }

    /// - Parameter isAtRest: no answer of the account will come soon; the transaction that records answers does
    ///   not know that.
    static func judge(_ trust: AccountTrust, by storms: StormRule, isAtRest: Bool) -> TrustJudgement {
        guard trust.stormSince == nil, trust.waiting > 0 else { return .wait }
        return storms.judge(trust.evidence, devices: trust.devices, isAtRest: isAtRest)
    }

    private mutating func note(_ judged: AccountJudgement) {
        let account = judged.trust.mark
        switch judged.judgement {
        case .wait: break
        case .believe: if !settling.contains(account) { settling.append(account) }
        case .storm:
            known?.insert(account)
            let run = judged.trust.evidence.run
            loop.send(
                .storm(
                    account,
                    AccountAnswers(
                        account: account, accepted: run.answers - run.aboutTokens,
                        aboutTokens: run.aboutTokens)))
        }
    }

    /// One transaction's worth of work; false when there is none.
    mutating func apply() throws -> Bool {
        if let account = settling.first {
            // What cannot be written is cleared again by the next review.
            settling.removeFirst()
            let quarantine = rules.now.quarantine
            let step = try service.perform(.verdicts, rows: Self.rowsPerStep) { store throws(StoreError) in
                try store.verdicts.settleCleared(account, rules: quarantine, at: Clocks.moment())
            }
            for row in step.damaged { loop.send(.setAside(row)) }
            if step.hasMore { settling.insert(account, at: 0) }
            return true
        }
        if let account = resting.first {
            resting.removeFirst()
            do { try judgeWhole { account.includes($0.mark) } } catch {
                resting.insert(account, at: 0)
                throw error
            }
            return true
        }
        if known == nil { try findResolved() }
        return false
    }

    /// Now and then: verdicts of an earlier life, storms that were resolved while nobody told, errors long
    /// past.
    /// - Returns: whether there is something to do now.
    mutating func review() throws -> Bool {
        try findResolved()
        try judgeWhole { _ in true }
        try clearOverdue()
        let now = Clocks.monotonic()
        if nextCleaning.map({ now >= $0 }) ?? true {
            nextCleaning = now.advanced(bySeconds: Self.cleaningSeconds)
            _ = try service.perform(.verdicts, rows: WriteQueue.maximumRows) { store throws(StoreError) in
                try store.verdicts.forgetQuietErrors(at: Clocks.moment())
            }
        }
        return !settling.isEmpty
    }

    /// Where another host reviews: which storms there are, as all hosts say. - Returns: as ``review()``.
    mutating func follow() throws(StoreError) -> Bool {
        try findResolved()
        return !settling.isEmpty
    }

    private mutating func judgeWhole(where isMeant: (AccountTrust) -> Bool) throws {
        let storms = rules.now.storms
        for trust in try store.trust.trusts()
        where isMeant(trust) && mayBeJudged(trust, by: storms) {
            let judged = try service.perform(.verdicts, rows: 2) { store throws(StoreError) in
                try store.verdicts.judgeWhole(trust.mark, at: Clocks.moment()) {
                    Self.judge($0, by: storms, isAtRest: true)
                }
            }
            if let judged { note(judged) }
        }
    }

    /// How large the app is decides about a storm, and only the transaction that judges reads it.
    private func mayBeJudged(_ trust: AccountTrust, by storms: StormRule) -> Bool {
        Self.judge(trust, by: storms, isAtRest: true) != .wait
    }

    /// Verdicts that have waited for as long as `holdDelay` says, of accounts that nothing contradicts.
    private mutating func clearOverdue() throws {
        let (storms, now) = (rules.now.storms, Clocks.moment())
        for (trust, since) in try store.trust.waiting() {
            guard case .time(let due) = storms.wait(of: trust.evidence, since: since), due <= now.time else {
                continue
            }
            let decided = WallMoment(
                millisecondsSince1970: now.millisecondsSince1970 - storms.holdDelaySeconds * 1_000)
            let hasSome = try service.perform(.verdicts, rows: 1) { store throws(StoreError) in
                try store.verdicts.clearOverdue(trust.mark, decidedBy: decided) {
                    $0.evidence.isProved && !$0.evidence.isContradicted
                }
            }
            if hasSome, !settling.contains(trust.mark) { settling.append(trust.mark) }
        }
    }

    private mutating func findResolved() throws(StoreError) {
        let present = Set(try store.trust.trusts().filter { $0.stormSince != nil }.map(\.mark))
        if present != known { loop.send(.storms(present)) }
        known = present
    }
}
