internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// The subjects that the stall rule watches.
enum StallSubject: Hashable, Sendable {
    case account(AccountID)
    /// A topic that the gateway refuses.
    case topic(PartLedger.TopicKey)
    case thread(StoreThread)
    /// This host's lease, if several hosts share the store.
    case lease
}

/// The master's information for the stall rule, in addition to the ledger and the children.
struct StallWatch: Sendable {
    var rule = StallRule<StallSubject>()
    /// The writer's last error; `nil` once the writer can write again.
    var storeFailure: String?
    /// Threads that were asked for a sign of life and have not answered.
    var asked: Set<StoreThread> = []
    /// When the store was last polled; `nil` if it has not been polled yet.
    var lastPoll: MonotonicTime?
    /// Whether the log already contains the error that the store is not being polled.
    var isPollOverdue = false
    private var readFailure: (text: String, at: MonotonicTime)?
    /// The reason why no child could be started, or why the last child did no work.
    var childFailure = ""

    /// The maximum time for a commit or for the renewal of the lease, in seconds. A healthy store needs
    /// milliseconds, and the writer answers between any two commits.
    private static let commitPatienceSeconds: Int64 = 6

    static func patienceSeconds(with subject: StallSubject) -> Int64 {
        switch subject {
        case .lease, .thread(.writer): commitPatienceSeconds
        // The reader answers only after it has carried out all earlier read orders.
        case .thread(.reader), .account, .topic: StallCause.patienceSeconds
        }
    }

    /// How long a read error counts as current. Reading is tried every second, so an older error no longer
    /// occurs.
    private static let readFailureSeconds: Int64 = 5

    mutating func noteReadFailure(_ text: String, at now: MonotonicTime) { readFailure = (text, now) }

    /// Returns the current trouble with the store, which affects all accounts alike.
    func engineFailure(at now: MonotonicTime) -> String? {
        if let storeFailure { return storeFailure }
        if let readFailure, now < readFailure.at.advanced(bySeconds: Self.readFailureSeconds) {
            return readFailure.text
        }
        if let stuck = StoreThread.allCases.first(where: { rule.isStalled(.thread($0)) }) {
            return "the store's \(stuck.rawValue) has not returned from a call for "
                + "\(rule.secondsWaited(.thread(stuck), at: now)) s: check the disk and other users of the "
                + "store; on PostgreSQL, check pg_stat_activity for locks and for commits that are waiting "
                + "for a standby"
        }
        guard rule.isStalled(.lease) else { return nil }
        return
            "this host's lease has not been renewed for \(rule.secondsWaited(.lease, at: now)) s, and "
            + "sending stops when it expires: check pg_stat_activity for locks and for commits that are "
            + "waiting for a standby"
    }

    /// Returns how long the longest pending call to the store, or the pending renewal of the lease, has taken
    /// so far.
    func secondsWaited(at now: MonotonicTime) -> Int64 {
        let subjects = StoreThread.allCases.map { StallSubject.thread($0) } + [.lease]
        return subjects.map { rule.secondsWaited($0, at: now) }.max() ?? 0
    }
}

/// Reports work that is due but makes no progress.
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
            // Messages that wait for a refused topic are counted for the topic, not for the account.
            let isDue = !ledger.rests(id) && !ledger.waitsForTopicsOnly(id)
            // Among a thousand accounts, most are at rest with nothing due. For such an account, this is the
            // whole check.
            guard isDue || stalls.rule.watches(.account(id)), let terms = accounts[id]?.terms else {
                continue
            }
            let patience = terms.stallPatienceSeconds(ratePerSecond: ledger.rate(of: id, at: now))
            switch stalls.rule.look(at: .account(id), isDue: isDue, patienceSeconds: patience, now: now) {
            case .began:
                log(.error, "\(name(of: id)) is stalled: \(stallReason(of: id))", about: .account(id))
            case .ended:
                log(.notice, "\(name(of: id)) is no longer stalled: nothing is due", about: .account(id))
            case nil: break
            }
        }
        lookForStalledTopics()
    }

    /// How long after its due time a poll counts as missed. An account counts as stalled after the same time.
    private static let pollPatienceSeconds: Int64 = 60

    /// The seconds since the store was last polled; `nil` unless a poll was missed. If one was missed, work
    /// that other processes wrote is not found, and the stall rule does not know which accounts have such
    /// work.
    var secondsWithoutPoll: Int64? {
        let seconds = now.milliseconds(since: stalls.lastPoll ?? startedAt) / 1_000
        return seconds > settings.pollSeconds + Self.pollPatienceSeconds ? seconds : nil
    }

    var pollFailure: String? {
        secondsWithoutPoll.map { seconds in
            "it has not been polled for \(seconds) s, so messages that other processes accepted are not "
                + "found: check the disk, the database server, and other users of the store"
        }
    }

    mutating func polled() {
        stalls.lastPoll = now
        guard stalls.isPollOverdue else { return }
        stalls.isPollOverdue = false
        log(.notice, "the store is being polled again")
    }

    private mutating func lookForMissedPolls() {
        guard !stalls.isPollOverdue, let failure = pollFailure else { return }
        stalls.isPollOverdue = true
        log(.error, "the store: \(failure)")
    }

    /// Checks a subject that concerns the store.
    private mutating func lookForStall(of subject: StallSubject, isDue: Bool) {
        let change = stalls.rule.look(
            at: subject, isDue: isDue, patienceSeconds: StallWatch.patienceSeconds(with: subject), now: now)
        guard change == .began else { return }
        log(.error, "the engine is stalled: \(stalls.engineFailure(at: now) ?? "the store does not answer")")
    }

    mutating func leaseRenewed() {
        guard stalls.rule.answered(.lease, at: now) else { return }
        log(.notice, "the engine is no longer stalled: the lease is being renewed again")
    }

    mutating func answeredWell(_ account: AccountID) {
        guard stalls.rule.answered(.account(account), at: now) else { return }
        log(
            .notice, "\(name(of: account)) is no longer stalled: a message received a valid answer",
            about: .account(account))
    }

    mutating func turned(_ thread: StoreThread) {
        stalls.asked.remove(thread)
        guard stalls.rule.answered(.thread(thread), at: now) else { return }
        log(.notice, "the engine is no longer stalled: the store's \(thread.rawValue) continues")
    }

    /// Returns one line with the duration, the cause as far as it is known, and what to do.
    func stallReason(of account: AccountID) -> String {
        let seconds = stalls.rule.secondsWaited(.account(account), at: now)
        var snapshot = StallCause.Snapshot()
        snapshot.storeFailure = stalls.engineFailure(at: now)
        snapshot.hold = ledger.hold(of: account, at: now)
        snapshot.workingChildren = children.values.count { $0.state == .working && $0.saidHello }
        snapshot.childFailure = stalls.childFailure
        snapshot.outstanding = ledger.outstanding(of: account)
        let beats = children.values.filter(\.isConnected).flatMap(\.heartbeat.accounts)
            .filter { $0.account == account }
        snapshot.inFlight = beats.reduce(0) { $0 + Int($1.inFlight) }
        snapshot.isServed = children.values.contains { $0.isConnected && $0.knownAccounts.contains(account) }
        let since = moment.wall.secondsSince1970 - seconds
        snapshot.lastFailure = failuresOf[account]?.latest.first.flatMap {
            $0.lastAt.secondsSince1970 >= since ? $0.text : nil
        }
        // The reason why the account waits, or otherwise its latest trouble.
        let held = ledger.breaker(of: account)?.reason ?? ""
        let reason = held.isEmpty ? failuresOf[account]?.latest.first?.text ?? "" : held
        return explained(
            "messages are due, and none was answered successfully for \(seconds) s: \(StallCause(snapshot))",
            by: reason, of: account)
    }

    func isWorking(_ account: AccountID) -> Bool {
        ledger.breaker(of: account)?.isWorking == true
    }
}

extension Heartbeat {
    /// Returns the number of requests in flight for which an answer is expected, because their accounts can
    /// send. Requests of an account whose breaker lets nothing through do not count: that state was already
    /// reported, and killing a child would not fix it.
    func overdueRequests(isWorking: (_ account: AccountID) -> Bool) -> UInt32 {
        let excused = accounts.filter { !isWorking($0.account) }.reduce(0) { $0 + $1.inFlight }
        return inFlight - min(excused, inFlight)
    }
}
