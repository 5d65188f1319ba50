internal import PushModel
internal import PushSchedule
internal import PushStore

/// Decides what becomes of the verdicts about tokens that the store holds, by the pure ``StormRule``. Lives on the
/// writer's thread.
///
/// **Promises.** A verdict is applied only after its account was judged believable; a storm is declared, told to the loop
/// and stays until an operator resolves it. **Failures.** The store's: what was to be done is kept and done later.
struct TokenCourt {
    private let store: Store
    private let loop: Mailbox<LoopEvent>
    private let storms: StormRule
    private let quarantine: QuarantineRules

    /// Their cleared verdicts are applied, some at a time.
    private var settling: [AccountMark] = []
    /// Nothing more will be heard of these for now.
    private var resting: [AccountMark] = []
    /// Storms that an operator has not resolved, as far as is known here.
    private var known: Set<AccountMark> = []
    private var mustLook = true
    private var nextCleaning: MonotonicTime?
    private static let cleaningSeconds: Int64 = 3_600

    init(store: Store, loop: Mailbox<LoopEvent>, storms: StormRule, quarantine: QuarantineRules) {
        self.store = store
        self.loop = loop
        self.storms = storms
        self.quarantine = quarantine
    }

    /// The rule, for the transaction that records answers.
    func judge(_ trust: AccountTrust) -> TrustJudgement { judge(trust, isWhole: false) }

    /// What was judged in it.
    mutating func hear(_ judgements: [AccountJudgement]) {
        for judged in judgements { hear(judged) }
    }

    mutating func rests(_ account: AccountMark) {
        if !resting.contains(account) { resting.append(account) }
    }

    /// Somebody may have resolved a storm.
    mutating func lookAgain() { mustLook = true }

    private func judge(_ trust: AccountTrust, isWhole: Bool) -> TrustJudgement {
        guard trust.stormSince == nil, trust.waiting > 0 else { return .wait }
        let before = AccountAnswers(
            account: trust.mark, accepted: trust.acceptedBefore, aboutTokens: trust.aboutTokensBefore)
        return storms.judge(trust.answers, before: before, wasAccepted: trust.hasAccepted, isWhole: isWhole)
    }

    private mutating func hear(_ judged: AccountJudgement) {
        let account = judged.trust.mark
        switch judged.judgement {
        case .wait: break
        case .believe: if !settling.contains(account) { settling.append(account) }
        case .storm:
            known.insert(account)
            loop.send(.storm(account, judged.trust.answers))
        }
    }

    /// One transaction's worth of work; false when there is none.
    mutating func sit() throws(StoreError) -> Bool {
        if let account = settling.first {
            let step = try store.verdicts.settleCleared(account, rules: quarantine, at: Clocks.moment())
            if !step.hasMore { settling.removeFirst() }
            return true
        }
        if let account = resting.first {
            let judged = try store.verdicts.judgeWhole(account, at: Clocks.moment()) { judge($0, isWhole: true) }
            resting.removeFirst()
            if let judged { hear(judged) }
            return true
        }
        if mustLook {
            try findResolved()
            mustLook = false
        }
        return false
    }

    /// Now and then: verdicts of an earlier life, storms that were resolved while nobody told, errors long past.
    /// - Returns: whether there is something to do now.
    mutating func review() throws(StoreError) -> Bool {
        mustLook = false
        try findResolved()
        for trust in try store.trust.trusts() where judge(trust, isWhole: true) != .wait {
            let judged = try store.verdicts.judgeWhole(trust.mark, at: Clocks.moment()) { judge($0, isWhole: true) }
            if let judged { hear(judged) }
        }
        let now = Clocks.monotonic()
        if nextCleaning.map({ now >= $0 }) ?? true {
            try store.verdicts.forgetQuietErrors(at: Clocks.moment())
            nextCleaning = now.advanced(bySeconds: Self.cleaningSeconds)
        }
        return !settling.isEmpty
    }

    private mutating func findResolved() throws(StoreError) {
        let present = Set(try store.trust.trusts().filter { $0.stormSince != nil }.map(\.mark))
        for account in known.subtracting(present) { loop.send(.stormOver(account)) }
        known = present
    }
}

extension AccountTrust {
    fileprivate var answers: AccountAnswers {
        AccountAnswers(account: mark, accepted: accepted, aboutTokens: aboutTokens)
    }
}
