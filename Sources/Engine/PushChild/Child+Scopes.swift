internal import GatewayKit
internal import PushModel
internal import PushSchedule
internal import PushTransport
internal import PushWire

/// Finds out whether an answer applies to one message, to the message's topic or to the account.
extension Child {
    /// The evidence about the scope of one account's answers, for refusals and for pauses.
    struct AnswerScopes {
        var refusals = ScopeEvidence()
        var pauses = ScopeEvidence()
    }

    /// The minimum time between two reports about the same topic, in seconds. It applies even if many answers
    /// refuse the topic at once.
    private static let topicNewsSeconds: Int64 = 1

    /// Records that the gateway accepted a message of the job, and discards the evidence against the job's
    /// account. The function is called for each message, so it must cost nothing if there is no evidence.
    @inline(__always)
    func noteGoodAnswer(job: JobID) {
        guard !scopes.isEmpty, let account = jobs[job]?.account else { return }
        scopes[account] = nil
    }

    /// Determines the scope of an answer that may concern more than its message. The decision depends on the
    /// previous answers.
    func determineScope(
        _ tag: UInt64, _ verdict: Verdict, _ reason: String, of job: JobOrder, at queue: AccountQueue
    ) {
        let topic = queue.connector.topic(of: job.job)
        let token = tokenHash(of: tag)
        var held = verdict
        held.schedule = .hold
        held.countsAttempt = false
        // Only the reason code is compared, because the gateway's text after it may differ between messages.
        let scope = scopes[job.account, default: AnswerScopes()].refusals.note(
            token: token, topic: topic, word: ReasonText.word(of: reason), at: now)
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

    /// Handles the refusal of a topic: the child first reports the refusal to the master, and then gives back
    /// the messages that wait for the topic. The account continues with its other topics.
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

    /// Reports whether a pause that the answer to one message requests applies to the whole account. It does
    /// if an answer for another token has requested a pause as well.
    func isPauseOfAccount(_ account: AccountID, tag: UInt64) -> Bool {
        let token = tokenHash(of: tag)
        // The answers differ in their numbers of seconds, but all are requests for a pause.
        let scope = scopes[account, default: AnswerScopes()].pauses.note(
            token: token, topic: nil, word: "pause", at: now)
        return scope == .account
    }

    /// Ends the account's wait at an operator's request, for example because a fault was corrected. Earlier
    /// refusals are no longer evidence. Requests for a pause remain evidence, so that the next request pauses
    /// the account immediately, before a second message is delayed.
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
