internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem

/// Judges the verdicts about tokens in the store, using the pure ``StormRule``. It runs on the store writer's
/// thread; its changes are units of the write service.
///
/// **Promises.** A verdict is applied only after its account was judged to be believable, or after the
/// verdict has waited for `holdDelay` without contrary evidence. A storm is declared and reported to the
/// loop, and remains until an operator resolves it. **Failures.** Errors from the store. The next
/// ``review()`` finds everything that could not be written.
struct TokenVerdictProcessor {
    private let service: WriteService
    private let store: Store
    private let loop: Mailbox<LoopEvent>
    private let rules: SharedRules

    /// Accounts whose cleared verdicts are being applied, a limited number of verdicts at a time.
    private var settling: [AccountKey] = []
    /// Accounts for which no further answers are expected for now.
    private var resting: [AccountKey] = []
    /// The storms that no operator has resolved, as reported to the loop; `nil` if nothing was reported yet.
    private var known: Set<AccountKey>?
    private var nextCleaning: MonotonicTime?
    private static let cleaningSeconds: Int64 = 3_600
    /// The maximum number of rows that one call of ``VerdictWriter/settleCleared(_:rules:at:)`` changes.
    private static let rowsPerStep = 4_000

    init(
        service: WriteService, store: Store, loop: Mailbox<LoopEvent>, rules: SharedRules
    ) {
        self.service = service
        self.store = store
        self.loop = loop
        self.rules = rules
    }

    /// Records the judgements from a transaction.
    mutating func note(_ judgements: [AccountJudgement]) {
        for judged in judgements { note(judged) }
    }

    mutating func rests(_ account: AccountKey) {
        if !resting.contains(account) { resting.append(account) }
    }

    /// - Parameter isAtRest: Whether no answer to the account's messages is expected soon. The transaction
    ///   that records answers does not know this.
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

    /// Does one transaction's worth of work. Returns `false` if there is nothing to apply.
    mutating func apply() throws -> Bool {
        if let account = settling.first {
            // If the verdicts cannot be written now, the next review clears them again.
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

    /// Reviews verdicts from an earlier process, storms that were resolved without a notification, and old
    /// errors. Called at intervals.
    /// - Returns: Whether there is something to do now.
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

    /// Checks the open storms of all hosts. Called instead of ``review()`` while another host leads.
    /// - Returns: Whether there is something to do now.
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

    /// Reports whether a judgement of the account may be possible. The number of the app's devices determines
    /// whether there is a storm, and only the transaction that judges reads this number.
    private func mayBeJudged(_ trust: AccountTrust, by storms: StormRule) -> Bool {
        Self.judge(trust, by: storms, isAtRest: true) != .wait
    }

    /// Clears verdicts that have waited for `holdDelay` and whose accounts have no contrary evidence.
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
