internal import GatewayKit
internal import PushModel
internal import PushSchedule
internal import PushTransport
internal import PushWire

/// How far an answer reaches: its message, its topic or its account.
extension Child {
    /// What one account's answers may be about, of both kinds.
    struct AnswerScopes {
        var refusals = ScopeEvidence()
        var pauses = ScopeEvidence()
    }

    /// News about a topic that many answers in flight bring is sent once in this time.
    private static let topicNewsSeconds: Int64 = 1

    /// The gateway accepted or judged a message of the job: what was noted of its account is over. Called for each
    /// message, so that it must cost nothing if nothing is noted.
    @inline(__always)
    func noteGoodAnswer(job: JobID) {
        guard !scopes.isEmpty, let account = jobs[job]?.account else { return }
        scopes[account] = nil
    }

    /// The answer may be about more than its message: about what, the answers before it tell.
    func weigh(_ tag: UInt64, _ verdict: Verdict, _ reason: String, of job: JobOrder, at queue: AccountQueue)
    {
        let topic = queue.connector.topic(of: job.job)
        let token = tokenHash(of: tag)
        var held = verdict
        held.schedule = .hold
        held.countsAttempt = false
        // What the gateway says beyond its word may differ from message to message.
        let scope = scopes[job.account, default: AnswerScopes()].refusals.note(
            token: token, topic: topic, word: GatewayWords.word(of: reason), at: now)
        switch scope {
        case .message: finish(tag, .rejected(verdict, reason: reason))
        case .topic:
            held.scope = .topic
            refuseTopic(of: tag, held, reason, job, at: queue)
        case .account:
            held.scope = .account
            refused(job.account, held, reason: reason)
            finish(tag, .rejected(held, reason: reason))
        }
    }

    /// The gateway refuses the topic: news first, then what waits for it goes back. The account goes on.
    func refuseTopic(
        of tag: UInt64, _ verdict: Verdict, _ reason: String, _ job: JobOrder, at queue: AccountQueue
    ) {
        guard let topic = queue.connector.topic(of: job.job) else {
            refused(job.account, verdict, reason: reason)
            return finish(tag, .rejected(verdict, reason: reason))
        }
        let last = queue.refusedTopics[topic]
        if last.map({ now >= $0.advanced(bySeconds: Self.topicNewsSeconds) }) ?? true {
            queue.refusedTopics[topic] = now
            link.send(
                .accountNews(AccountNews(account: job.account, kind: .refused, text: reason, topic: topic)))
        }
        giveBack(queue, .neverSent(verdict, reason: reason)) { queue.connector.topic(of: $0) == topic }
        finish(tag, .rejected(verdict, reason: reason))
    }

    /// Whether the pause that one message's answer asks for is the account's: another token's answer has asked for
    /// one as well.
    func isPauseOfAccount(_ account: AccountID, tag: UInt64) -> Bool {
        let token = tokenHash(of: tag)
        // Each has its own number of seconds, and they say the same.
        let scope = scopes[account, default: AnswerScopes()].pauses.note(
            token: token, topic: nil, word: "pause", at: now)
        return scope == .account
    }

    /// An operator ends the account's wait, perhaps because a fault was corrected: earlier refusals are no
    /// evidence any more. Requests for a pause are kept, so that the next one pauses the account at once and
    /// no second message is delayed.
    func resume(_ account: AccountID) {
        scopes[account]?.refusals.clear()
        if scopes[account]?.pauses.isEmpty == true { scopes[account] = nil }
        queues[account]?.connector.endPauses()
    }

    private func tokenHash(of tag: UInt64) -> Int {
        guard let frame = grants.frame(of: tag) else { return 0 }
        var hasher = Hasher()
        for byte in frame.bytes[frame.entry(at: GrantRun.offset(of: tag)).token] { hasher.combine(byte) }
        return hasher.finalize()
    }
}
