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
    /// Apps' parts of accounts that have answered since their account last rested.
    private var busy: Set<AccountMark> = []
    /// Storms that an operator has not resolved, as the loop was told; nil: it was told nothing yet.
    private var known: Set<AccountMark>?
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
        busy = busy.filter { !account.includes($0) }
        if !resting.contains(account) { resting.append(account) }
    }

    /// Whether what is said of it now goes on from what was said before. Good answers to an earlier delivery say nothing
    /// of the tokens of this one.
    func isBusy(_ account: AccountMark) -> Bool { busy.contains(account) }

    /// These have answered.
    mutating func heard(from accounts: some Sequence<AccountMark>) { busy.formUnion(accounts) }

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
            known?.insert(account)
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
            try judgeWhole { account.includes($0.mark) }
            resting.removeFirst()
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
        try judgeWhole { _ in true }
        let now = Clocks.monotonic()
        if nextCleaning.map({ now >= $0 }) ?? true {
            try store.verdicts.forgetQuietErrors(at: Clocks.moment())
            nextCleaning = now.advanced(bySeconds: Self.cleaningSeconds)
        }
        return !settling.isEmpty
    }

    private mutating func judgeWhole(where isMeant: (AccountTrust) -> Bool) throws(StoreError) {
        for trust in try store.trust.trusts() where isMeant(trust) && judge(trust, isWhole: true) != .wait {
            let judged = try store.verdicts.judgeWhole(trust.mark, at: Clocks.moment()) { judge($0, isWhole: true) }
            if let judged { hear(judged) }
        }
    }

    private mutating func findResolved() throws(StoreError) {
        let present = Set(try store.trust.trusts().filter { $0.stormSince != nil }.map(\.mark))
        if present != known { loop.send(.storms(present)) }
        known = present
    }
}

extension AccountTrust {
    fileprivate var answers: AccountAnswers {
        AccountAnswers(account: mark, accepted: accepted, aboutTokens: aboutTokens)
    }
}
