package import PushModel

/// Topics that a gateway refuses for an account that otherwise works: a mistyped bundle id, or a push type
/// that the credential does not cover. Messages of such a topic wait, and each topic has its own breaker. The
/// account's other messages are granted as usual. A topic that is not refused costs nothing here. If an app's
/// part of an account is in a storm, the part's messages are put on hold in the same way, but without probes,
/// until an operator has decided about the storm.
///
/// The topic of a range is stated only in the range's job, which is known only once the range has been read.
/// A range is therefore read once before it is put on hold.
extension PartLedger {
    package struct TopicKey: Hashable, Comparable, Sendable {
        package let account: AccountID
        package let topic: String
        /// The app's part of the account whose messages an operator has to release; `nil` if the gateway
        /// refuses a topic.
        package let part: AccountKey?

        package init(account: AccountID, topic: String) {
            (self.account, self.topic, part) = (account, topic, nil)
        }

        package init(account: AccountID, part: AccountKey) {
            (self.account, topic, self.part) = (account, part.rawValue, part)
        }

        package static func < (left: Self, right: Self) -> Bool {
            (left.account, left.topic) < (right.account, right.topic)
        }
    }

    struct Topics: Sendable {
        var breakers: [TopicKey: AccountBreaker] = [:]
        /// The moments at which one message of each topic may probe the topic.
        var alarms = Alarms<TopicKey>()
        /// Retries that the store has put off for a topic until its next probe. They are kept by delivery, so
        /// that they are forgotten with their delivery.
        private(set) var retries: [TopicKey: [DeliveryID: MonotonicTime]] = [:]

        mutating func putOff(_ key: TopicKey, _ delivery: DeliveryID, until moment: MonotonicTime) {
            guard breakers[key] != nil else { return }
            let end = moment.advanced(bySeconds: PartLedger.secondsToFindRetries)
            retries[key, default: [:]][delivery] = max(end, retries[key]?[delivery] ?? end)
        }

        /// Returns the latest moment by which the last of the topic's retries is found again; `nil` if none
        /// were put off.
        func retriesEnd(of key: TopicKey) -> MonotonicTime? { retries[key]?.values.max() }

        mutating func forget(_ delivery: DeliveryID) {
            for key in retries.keys { retries[key]?[delivery] = nil }
        }

        mutating func forget(_ key: TopicKey) {
            breakers[key] = nil
            retries[key] = nil
            alarms.set(key, nil)
        }
    }

    /// If a topic's probe has not been sent within this time, another message becomes a probe: the first one
    /// may be waiting behind other messages of its account.
    private static let secondsBetweenProbes: Int64 = 10
    /// A topic without waiting messages is forgotten this long after its wait has ended.
    private static let idleSeconds: Int64 = 900
    /// When retries become due, a search in the store must still find them, so they are assumed to wait for
    /// this many more seconds.
    fileprivate static let secondsToFindRetries: Int64 = 120

    // MARK: Questions

    /// Reports whether the gateway refuses any topic of this account.
    package func holdsTopics(of account: AccountID) -> Bool {
        !topics.breakers.isEmpty && topics.breakers.keys.contains { $0.account == account }
    }

    /// Refused topics and stopped parts, with their breakers.
    package var refusedTopics: [TopicKey: AccountBreaker] { topics.breakers }

    /// Returns the stopped parts of the account.
    package func stoppedParts(of account: AccountID) -> Set<TopicKey> {
        Set(topics.breakers.keys.filter { $0.account == account && $0.part != nil })
    }

    /// Returns the number of ranges that wait for the topic.
    package func heldRanges(of key: TopicKey) -> Int {
        accounts[key.account]?.ranges.heldCount(of: key.topic) ?? 0
    }

    /// Reports whether messages wait for the topic, either in the ledger or as retries in the store that were
    /// put off because of the topic.
    package func hasWork(for key: TopicKey, at now: MonotonicTime) -> Bool {
        heldRanges(of: key) > 0 || topics.retriesEnd(of: key).map { now < $0 } == true
    }

    /// Reports whether the grant may be sent to its child. If the topic of the grant's messages is refused,
    /// the grant may be sent only as the topic's probe.
    package func mayGo(_ grant: GrantID, messages: Int, of key: TopicKey, at now: MonotonicTime) -> Bool {
        guard let breaker = topics.breakers[key] else { return true }
        switch breaker.allowance(at: now) {
        case .all: return true
        case .none: return false
        case .one:
            // Retries cannot be cut, because the reader has chosen them.
            if case .retries = grants[grant]?.source { return true }
            return messages == 1
        }
    }

    /// Reports whether everything that the account has to send is waiting for a topic.
    package func waitsForTopicsOnly(_ account: AccountID) -> Bool {
        guard let account = accounts[account] else { return false }
        return account.grantsOut == 0 && account.appsWithRetries.isEmpty && account.ranges.heldCount > 0
            && account.ranges.count == account.ranges.heldCount
    }

    // MARK: Changes

    mutating func refuse(_ key: TopicKey, reason: String, at now: MonotonicTime) {
        guard accounts[key.account] != nil else { return }
        let jitter = jitter
        topics.breakers[key, default: AccountBreaker()].met(.refused, reason: reason, at: now, jitter: jitter)
        setAlarm(key)
    }

    /// Grants no messages of the part until ``release(_:at:)``.
    mutating func stop(_ key: TopicKey, reason: String) {
        guard accounts[key.account] != nil else { return }
        topics.breakers[key, default: AccountBreaker()].stop(reason: reason)
    }

    mutating func release(_ key: TopicKey, at now: MonotonicTime) {
        if topics.breakers[key] != nil { releaseTopic(key, at: now) }
    }

    mutating func prove(_ key: TopicKey, at now: MonotonicTime) {
        guard topics.breakers[key] != nil else { return }
        topics.breakers[key]?.proved()
        if topics.breakers[key]?.isWorking == true { releaseTopic(key, at: now) }
    }

    /// Allows one message of each topic to probe the topic immediately, because the account was changed or an
    /// operator requested it.
    mutating func askAboutTopics(of account: AccountID, at now: MonotonicTime) {
        guard holdsTopics(of: account) else { return }
        for key in topics.breakers.keys.sorted() where key.account == account {
            topics.breakers[key]?.repaired(at: now)
            setAlarm(key)
        }
    }

    private mutating func releaseTopic(_ key: TopicKey, at now: MonotonicTime) {
        topics.forget(key)
        guard accounts[key.account] != nil else { return }
        withAccount(key.account, at: now) { account in
            account.ranges.resume(topic: key.topic)
            account.add(account.heldOut)
            account.heldOut = [:]
        }
    }

    mutating func forgetTopics(of account: AccountID) {
        for key in topics.breakers.keys where key.account == account { topics.forget(key) }
    }

    /// Lets one message of each topic whose probe is due take its turn.
    mutating func probeTopics(at now: MonotonicTime) {
        while let key = topics.alarms.takeDue(at: now) {
            guard let account = accounts[key.account] else { continue }
            guard topics.breakers[key]?.allowance(at: now) == .one else {
                setAlarm(key)
                continue
            }
            if account.ranges.heldCount(of: key.topic) == 0 {
                if account.heldOut.isEmpty { forgetIdle(key, at: now) } else { releaseTopic(key, at: now) }
                continue
            }
            topics.alarms.set(key, now.advanced(bySeconds: Self.secondsBetweenProbes))
            guard account.breaker.allowance(at: now) != .none else { continue }
            let probe = withAccount(key.account, at: now) { $0.ranges.probe(topic: key.topic) }
            if let probe, probe.isCut { parts[probe.part]?.waiting += 1 }
        }
    }

    /// Forgets a topic without waiting messages. Its next message probes the topic anyway, and a status shown
    /// in the meantime would only mislead.
    private mutating func forgetIdle(_ key: TopicKey, at now: MonotonicTime) {
        guard let since = topics.breakers[key]?.nextMoment else { return }
        let idle = since.advanced(bySeconds: Self.idleSeconds)
        let end = max(idle, topics.retriesEnd(of: key) ?? idle)
        if now >= end { topics.forget(key) } else { topics.alarms.set(key, end) }
    }

    private mutating func setAlarm(_ key: TopicKey) {
        topics.alarms.set(key, topics.breakers[key]?.nextMoment)
    }

    // MARK: Grants

    /// Records that the grant is sent, as a probe if its topic is refused.
    mutating func noteTopic(_ key: TopicKey?, of grant: GrantID, at now: MonotonicTime) {
        releaseTopicIfChanged(grant, key, at: now)
        guard let key, topics.breakers[key] != nil, grants[grant] != nil else { return }
        topics.breakers[key]?.probeStarted()
        grants[grant]?.topicProbe = key
        setAlarm(key)
    }

    /// Releases the topic if a message that waited for it turns out to have another topic because its app was
    /// changed. All other messages that wait for the topic may have another topic, too.
    private mutating func releaseTopicIfChanged(_ grant: GrantID, _ key: TopicKey?, at now: MonotonicTime) {
        guard let asked = grants[grant]?.asksAbout, asked != key else { return }
        releaseTopic(asked, at: now)
    }

    mutating func probeEnded(_ key: TopicKey, at now: MonotonicTime) {
        topics.breakers[key]?.probeEnded(at: now)
        setAlarm(key)
    }

    /// Puts on hold the messages that were read for a grant, because their topic is refused. No child
    /// receives them, and they wait for the topic.
    mutating func hold(
        _ id: GrantID, of key: TopicKey, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let grant = grants[id], !grant.isFilled, grant.account == key.account,
            topics.breakers[key] != nil
        else {
            return giveBack(id, at: now, &actions)
        }
        releaseTopicIfChanged(id, key, at: now)
        grants[id]?.heldTopic = key.topic
        // The probe was not sent to the gateway.
        if grant.isProbe { withAccount(grant.account, at: now) { $0.breaker.cancelProbe(at: now) } }
        giveBack(id, at: now, &actions)
        if topics.breakers[key]?.allowance(at: now) == .one {
            topics.alarms.set(key, now)
        } else {
            setAlarm(key)
        }
    }

    /// Puts a range of a part on hold until its topic is released. If too many ranges wait already, the
    /// range's part must be found again later.
    mutating func hold(
        _ range: WaitingRange, topic: String, _ progress: OutstandingPart, at now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        var progress = progress
        let mayLeaveOut = progress.out == 0 && progress.waiting == 0
        let most = maxWaitingRanges
        let isHeld = withAccount(progress.account, at: now) { account in
            if mayLeaveOut, account.ranges.heldCount >= most {
                let kind = LeftOut(app: range.app, isUrgent: range.priority.isUrgent)
                account.heldOut[kind] = min(account.heldOut[kind] ?? range.part, range.part)
                return false
            }
            account.ranges.hold(range, topic: topic)
            return true
        }
        guard isHeld else {
            forget(part: range.part)
            return actions.append(.leftOut(range.part))
        }
        progress.waiting += 1
        parts[range.part] = progress
    }
}
