internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Whom the stall rule is about.
enum StallSubject: Hashable, Sendable {
    case account(AccountID)
    /// A topic that is refused.
    case topic(PartLedger.TopicKey)
    case thread(StoreThread)
    /// This host's lease, if several hosts share the store.
    case lease
}

/// What the master knows for the stall rule, beside the ledger and the children.
struct StallWatch: Sendable {
    var rule = StallRule<StallSubject>()
    /// What the writer said last, until it can write again.
    var storeTrouble: String?
    /// Threads that were asked for a sign of life and have not given it.
    var asked: Set<StoreThread> = []
    /// When the store was polled last; nil: not yet.
    var lastPoll: MonotonicTime?
    /// An operator was notified that it is not polled.
    var isPollOverdue = false
    private var readTrouble: (text: String, at: MonotonicTime)?
    /// Why no child could be started, or why the last one was of no use.
    var childTrouble = ""

    /// How long a commit, or the renewal of the lease, may take. A healthy store needs milliseconds, and the writer
    /// answers between any two commits.
    private static let commitPatienceSeconds: Int64 = 6

    static func patienceSeconds(with subject: StallSubject) -> Int64 {
        switch subject {
        case .lease, .thread(.writer): commitPatienceSeconds
        // It answers after all that it was asked to read before.
        case .thread(.reader), .account, .topic: StallCause.patienceSeconds
        }
    }

    /// Reading is tried every second: a trouble that is older than a few is over.
    private static let readTroubleSeconds: Int64 = 5

    mutating func noteReadTrouble(_ text: String, at now: MonotonicTime) { readTrouble = (text, now) }

    /// What is wrong with the store now, for all accounts alike.
    func engineTrouble(at now: MonotonicTime) -> String? {
        if let storeTrouble { return storeTrouble }
        if let readTrouble, now < readTrouble.at.advanced(bySeconds: Self.readTroubleSeconds) {
            return readTrouble.text
        }
        if let stuck = StoreThread.allCases.first(where: { rule.isStalled(.thread($0)) }) {
            return "the store's \(stuck.rawValue) has not come back from one call for "
                + "\(rule.secondsWaited(.thread(stuck), at: now)) s: look at the disk, and at other users of the store; "
                + "on PostgreSQL, look in pg_stat_activity for locks and for commits that wait for a standby"
        }
        guard rule.isStalled(.lease) else { return nil }
        return
            "this host's lease has not been renewed for \(rule.secondsWaited(.lease, at: now)) s, and sending stops "
            + "when it ends: look in pg_stat_activity for locks and for commits that wait for a standby"
    }

    /// The longest that a call of the store, or the renewal of the lease, has been waited for.
    func secondsWaited(at now: MonotonicTime) -> Int64 {
        let subjects = StoreThread.allCases.map { StallSubject.thread($0) } + [.lease]
        return subjects.map { rule.secondsWaited($0, at: now) }.max() ?? 0
    }
}

/// Work that is due and comes to nothing is told.
extension MasterMachine {
    mutating func lookForStalls() {
        guard drainDeadline == nil else { return }
        lookForMissedPolls()
        lookForStall(of: .lease, isDue: lease != nil)
        for thread in StoreThread.allCases {
            lookForStall(of: .thread(thread), isDue: stalls.asked.contains(thread))
            guard stalls.asked.insert(thread).inserted else { continue }
            switch thread {
            case .reader: read(.ping)
            case .writer: write(.ping)
            }
        }
        for id in accounts.keys {
            // What waits for a refused topic is the topic's, not the account's.
            let isDue = !ledger.rests(id) && !ledger.waitsForTopicsOnly(id)
            // Most of a thousand accounts rest, and nobody waits for them: to look costs them this and no more.
            guard isDue || stalls.rule.watches(.account(id)), let terms = accounts[id]?.terms else {
                continue
            }
            let patience = terms.stallPatienceSeconds(ratePerSecond: ledger.rate(of: id, at: now))
            switch stalls.rule.look(at: .account(id), isDue: isDue, patienceSeconds: patience, now: now) {
            case .began:
                log(.error, "\(name(of: id)) is stalled: \(stallReason(of: id))", about: .account(id))
            case .ended:
                log(.notice, "\(name(of: id)) is stalled no more: nothing is due", about: .account(id))
            case nil: break
            }
        }
        lookForStalledTopics()
    }

    /// How long after its time a poll counts as missed. An account that is stalled has as long.
    private static let pollPatienceSeconds: Int64 = 60

    /// How long the store has not been polled, in seconds, if that is too long: then nobody finds work that other
    /// processes wrote, and no account is known to have it.
    var secondsWithoutPoll: Int64? {
        let seconds = now.milliseconds(since: stalls.lastPoll ?? startedAt) / 1_000
        return seconds > settings.pollSeconds + Self.pollPatienceSeconds ? seconds : nil
    }

    var pollTrouble: String? {
        secondsWithoutPoll.map { seconds in
            "it has not been polled for \(seconds) s, so messages that other processes accepted are not found: look at "
                + "the disk, at the database server, and at who else uses the store"
        }
    }

    mutating func polled() {
        stalls.lastPoll = now
        guard stalls.isPollOverdue else { return }
        stalls.isPollOverdue = false
        log(.notice, "the store is polled again")
    }

    private mutating func lookForMissedPolls() {
        guard !stalls.isPollOverdue, let trouble = pollTrouble else { return }
        stalls.isPollOverdue = true
        log(.error, "the store: \(trouble)")
    }

    /// Of the store.
    private mutating func lookForStall(of subject: StallSubject, isDue: Bool) {
        let change = stalls.rule.look(
            at: subject, isDue: isDue, patienceSeconds: StallWatch.patienceSeconds(with: subject), now: now)
        guard change == .began else { return }
        log(.error, "the engine is stalled: \(stalls.engineTrouble(at: now) ?? "the store does not answer")")
    }

    mutating func leaseRenewed() {
        guard stalls.rule.answered(.lease, at: now) else { return }
        log(.notice, "the engine is stalled no more: the lease is renewed again")
    }

    mutating func answeredWell(_ account: AccountID) {
        guard stalls.rule.answered(.account(account), at: now) else { return }
        log(
            .notice, "\(name(of: account)) is stalled no more: a message was answered well",
            about: .account(account))
    }

    mutating func turned(_ thread: StoreThread) {
        stalls.asked.remove(thread)
        guard stalls.rule.answered(.thread(thread), at: now) else { return }
        log(.notice, "the engine is stalled no more: the store's \(thread.rawValue) goes on")
    }

    /// One line: since when, and the cause as far as it can be seen.
    func stallReason(of account: AccountID) -> String {
        let seconds = stalls.rule.secondsWaited(.account(account), at: now)
        var sight = StallCause.Sight()
        sight.storeTrouble = stalls.engineTrouble(at: now)
        sight.hold = ledger.hold(of: account, at: now)
        sight.workingChildren = children.values.count { $0.state == .working && $0.saidHello }
        sight.childTrouble = stalls.childTrouble
        sight.outstanding = ledger.outstanding(of: account)
        let beats = children.values.filter(\.isConnected).flatMap(\.heartbeat.accounts)
            .filter { $0.account == account }
        sight.inFlight = beats.reduce(0) { $0 + Int($1.inFlight) }
        sight.isServed = children.values.contains { $0.isConnected && $0.knownAccounts.contains(account) }
        let since = moment.wall.secondsSince1970 - seconds
        sight.lastTrouble = troublesOf[account]?.latest.first.flatMap {
            $0.lastAt.secondsSince1970 >= since ? $0.text : nil
        }
        return "work is due, and nothing was answered well for \(seconds) s: \(StallCause(sight))"
    }

    func isWorking(_ account: AccountID) -> Bool {
        ledger.breaker(of: account)?.isWorking == true
    }
}

extension Heartbeat {
    /// Requests of which an answer, or the end of their account's standing, is to be expected. Where an
    /// account's breaker lets nothing through, that has been told, and killing a child would not mend it.
    func requestsThatOweProgress(isWorking: (_ account: AccountID) -> Bool) -> UInt32 {
        let excused = accounts.filter { !isWorking($0.account) }.reduce(0) { $0 + $1.inFlight }
        return inFlight - min(excused, inFlight)
    }
}
