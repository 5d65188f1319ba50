internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Topics that a gateway refuses for an account that works. Their messages wait, and everything else
/// continues.
extension MasterMachine {
    /// How long messages are postponed while their topic's probe is waiting for its answer.
    private static let secondsWhileProbing: Int64 = 30
    /// How long messages are postponed while an operator has to decide about a storm.
    private static let secondsWhileStopped: Int64 = 300

    mutating func topicRefused(_ account: AccountID, _ topic: String, _ reason: String) {
        let key = PartLedger.TopicKey(account: account, topic: topic)
        failuresOf[account, default: RecentErrors()].note("\(reason) for topic \(topic)", at: moment.wall)
        if ledger.refusedTopics[key] == nil {
            let line = """
                the gateway refuses topic \(topic) of \(name(of: account)); its messages wait, one is tried \
                at intervals, and other topics continue: \(reason)
                """
            log(.warning, explained(line, by: reason, of: account), about: .account(account))
        }
        obey(ledger.handle(.topicRefused(key, reason: reason), at: now))
    }

    mutating func prove(_ topic: PartLedger.TopicKey) {
        guard ledger.refusedTopics[topic] != nil else { return }
        obey(ledger.handle(.topicProved(topic), at: now))
        guard ledger.refusedTopics[topic] == nil else { return }
        log(
            .notice, "topic \(topic.topic) of \(name(of: topic.account)) works again",
            about: .account(topic.account))
    }

    /// Returns the topic of a job's messages; `nil` if the job's account has no refused topics, or if the
    /// account's gateway has no topics.
    func refusableTopic(of job: JobDefinition) -> PartLedger.TopicKey? {
        let account = job.order.account
        guard ledger.holdsTopics(of: account), let connector = accounts[account]?.order.connector,
            let topic = settings.topic(
                of: job.order.contentJSON, bundleID: job.order.bundleID, through: connector)
        else { return nil }
        return PartLedger.TopicKey(account: account, topic: topic)
    }

    /// Puts on hold the messages that were read for a grant, because their topic is refused. No child
    /// receives them. Messages that were tried before become due again when the topic is probed.
    mutating func hold(_ order: ReadOrder, _ topic: PartLedger.TopicKey, _ job: JobDefinition, frame: [UInt8])
    {
        if case .retries = order.source, let breaker = ledger.refusedTopics[topic] {
            let otherwise = topic.part == nil ? Self.secondsWhileProbing : Self.secondsWhileStopped
            let seconds =
                breaker.nextMoment.map { max($0.milliseconds(since: now) / 1_000, 1) } ?? otherwise
            putOff(frame, of: order, job, breaker.reason, bySeconds: seconds)
            let end = now.advanced(bySeconds: seconds)
            obey(ledger.handle(.topicPutOff(topic, job.order.delivery, until: end), at: now))
        }
        obey(ledger.handle(.topicHeld(order.grant, topic), at: now))
    }

    private mutating func putOff(
        _ frame: [UInt8], of order: ReadOrder, _ job: JobDefinition, _ reason: String,
        bySeconds seconds: Int64
    ) {
        var decoder = FrameDecoder()
        decoder.feed(frame)
        guard let whole = try? decoder.next(), let frame = try? GrantFrame(whole) else { return }
        var batch = OutcomeBatch(delivery: job.order.delivery)
        let due = moment.wall.advanced(bySeconds: seconds + chance(0...max(seconds / 10, 1)))
        var offset = GrantFrame.firstEntry
        for _ in 0..<frame.count {
            let entry = frame.entry(at: offset)
            batch.others.append(
                MessageRecord(
                    message: entry.message,
                    change: .retrying(due: due, .soft, .refused, providerReason: reason), countsAttempt: false
                ))
            offset = entry.next
        }
        children[order.child]?.pendingCommits += 1
        write(
            .record(
                StoreWriter.RecordJob(
                    child: order.child, batches: [batch], settlements: [], decided: moment.wall, attempts: [],
                    answered: nil)))
    }

    // MARK: What an operator sees

    /// Returns the topic's name for an operator.
    func name(of topic: PartLedger.TopicKey) -> String {
        "\(topic.part == nil ? "topic " : "")\(label(of: topic)) of \(name(of: topic.account))"
    }

    /// Returns the name of a topic or, for an app's part of the account, the app's name. If the app now has
    /// another topic, the part's topic is added.
    private func label(of topic: PartLedger.TopicKey) -> String {
        guard let part = topic.part, let app = part.app else { return topic.topic }
        let name = "app \(appsOf[topic.account]?[app] ?? "\(app)")"
        guard presentMarks[app] != part, let former = part.topic else { return name }
        return "\(name), topic \(former)"
    }

    mutating func lookForStalledTopics() {
        for topic in ledger.refusedTopics.keys.sorted() where accounts[topic.account] != nil {
            lookForStall(of: topic, isDue: ledger.hasWork(for: topic, at: now))
        }
        for case .topic(let topic) in stalls.rule.subjects where ledger.refusedTopics[topic] == nil {
            lookForStall(of: topic, isDue: false)
        }
    }

    private mutating func lookForStall(of topic: PartLedger.TopicKey, isDue: Bool) {
        switch stalls.rule.look(at: .topic(topic), isDue: isDue, now: now) {
        case .began:
            log(
                .error, "\(name(of: topic)) is stalled: \(stallReason(of: topic))",
                about: .account(topic.account))
        case .ended:
            log(
                .notice, "\(name(of: topic)) is no longer stalled: no message is waiting for it",
                about: .account(topic.account))
        case nil: break
        }
    }

    func stallReason(of topic: PartLedger.TopicKey) -> String {
        let seconds = stalls.rule.secondsWaited(.topic(topic), at: now)
        let reason = ledger.refusedTopics[topic]?.reason ?? ""
        guard topic.part == nil else {
            return "its messages have been waiting for \(seconds) s, because \(reason)"
        }
        let line = """
            its messages have been waiting for \(seconds) s, and one is tried at intervals, because the \
            gateway refuses it: \(reason)
            """
        return explained(line, by: reason, of: topic.account)
    }

    var topicAlarms: [MasterStatus.Alarm] {
        ledger.refusedTopics.keys.filter { stalls.rule.isStalled(.topic($0)) }.sorted().map { topic in
            MasterStatus.Alarm(
                kind: "topic", about: "\(label(of: topic)) of \(name(of: topic.account))",
                cause: stallReason(of: topic),
                seconds: Int(stalls.rule.secondsWaited(.topic(topic), at: now)))
        }
    }

    func refusedTopics(of account: AccountID) -> [AccountStatus.Topic] {
        ledger.refusedTopics.filter { $0.key.account == account }.sorted { $0.key < $1.key }.map {
            key, breaker in
            AccountStatus.Topic(
                name: label(of: key), state: breaker.state.name, reason: breaker.reason,
                app: key.part?.app.map { appsOf[account]?[$0] ?? "\($0)" },
                secondsUntilProbe: breaker.secondsUntilProbe(at: now),
                waitingRanges: ledger.heldRanges(of: key))
        }
    }
}
