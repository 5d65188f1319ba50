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

    /// A window of answers was in order: to be written down.
    private var believed: [AccountMark] = []
    /// Their cleared verdicts are applied, some at a time.
    private var settling: [AccountMark] = []
    /// Likewise, and all of them: the account has nothing more to say.
    private var settlingAll: [AccountMark] = []
    /// Judged a storm, to be written down.
    private var stormy: [(mark: AccountMark, answers: AccountAnswers)] = []
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

    /// What the store knows of accounts after a transaction.
    mutating func hear(_ trusts: [AccountTrust]) {
        for trust in trusts { judge(trust, isWhole: false) }
    }

    mutating func rests(_ account: AccountMark) {
        if !resting.contains(account) { resting.append(account) }
    }

    /// Somebody may have resolved a storm.
    mutating func lookAgain() { mustLook = true }

    private mutating func judge(_ trust: AccountTrust, isWhole: Bool) {
        guard trust.stormSince == nil, trust.waiting > 0, !believed.contains(trust.mark),
            !settlingAll.contains(trust.mark)
        else { return }
        let answers = AccountAnswers(
            account: trust.mark, accepted: trust.accepted, aboutTokens: trust.aboutTokens)
        switch storms.judge(answers, wasAccepted: trust.hasAccepted, isWhole: isWhole) {
        case .wait: break
        case .believe where isWhole: settlingAll.append(trust.mark)
        case .believe: believed.append(trust.mark)
        case .storm:
            if !stormy.contains(where: { $0.mark == trust.mark }) { stormy.append((trust.mark, answers)) }
        }
    }

    /// One transaction's worth of work; false when there is none.
    mutating func sit() throws(StoreError) -> Bool {
        if let storm = stormy.first {
            try store.verdicts.declareStorm(storm.mark, at: Clocks.moment())
            stormy.removeFirst()
            known.insert(storm.mark)
            loop.send(.storm(storm.mark, storm.answers))
            return true
        }
        if let account = believed.first {
            try store.verdicts.believe(account)
            believed.removeFirst()
            if !settling.contains(account) { settling.append(account) }
            return true
        }
        if let account = settling.first {
            let step = try store.verdicts.settleCleared(account, rules: quarantine, at: Clocks.moment())
            if !step.hasMore { settling.removeFirst() }
            return true
        }
        if let account = settlingAll.first {
            let step = try store.verdicts.settle(account, rules: quarantine, at: Clocks.moment())
            if !step.hasMore { settlingAll.removeFirst() }
            return true
        }
        if let account = resting.first {
            let trust = try store.trust.trust(of: account)
            resting.removeFirst()
            if let trust { judge(trust, isWhole: true) }
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
        if try store.work.openParts(limit: 1).isEmpty {
            for trust in try store.trust.trusts() { judge(trust, isWhole: true) }
        }
        let now = Clocks.monotonic()
        if nextCleaning.map({ now >= $0 }) ?? true {
            _ = try store.verdicts.forgetQuietErrors(at: Clocks.moment())
            nextCleaning = now.advanced(bySeconds: Self.cleaningSeconds)
        }
        return !believed.isEmpty || !settlingAll.isEmpty || !stormy.isEmpty
    }

    private mutating func findResolved() throws(StoreError) {
        let present = Set(try store.trust.trusts().filter { $0.stormSince != nil }.map(\.mark))
        for account in known.subtracting(present) { loop.send(.stormOver(account)) }
        known = present
    }
}
