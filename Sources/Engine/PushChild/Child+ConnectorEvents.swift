internal import GatewayKit
package import PushModel
internal import PushSchedule
internal import PushTransport
internal import PushWire

/// Events that connectors report.
extension Child: ConnectorEvents {
    package func accepted(tag: UInt64) {
        guard let ended = close(tag) else { return }
        outcomes.accepted(ended.message, grant: ended.grant)
        noteOutcome()
        noteGoodAnswer(job: ended.job)
    }

    package func ended(tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag), let job = jobs[frame.job], let queue = queues[job.account]
        else {
            return finish(tag, outcome)
        }
        switch outcome {
        // The gateway has answered this attempt, and a message that is sent now or never gets no further
        // attempt.
        case .rejected(let verdict, _) where job.isNowOrNever && verdict.scope == .transient:
            finish(tag, outcome)
        case .rejected(let verdict, let reason) where verdict.schedule == .now,
            .neverSent(let verdict, let reason) where verdict.schedule == .now:
            guard !isWithdrawn(job) else { return finish(tag, .neverSent(verdict, reason: reason)) }
            again(tag, verdict, reason, at: queue)
        case .rejected(let verdict, let reason) where verdict.scope == .topic && verdict.schedule == .hold:
            refuseTopic(of: tag, verdict, reason, job, at: queue)
        case .rejected(let verdict, let reason) where verdict.mayWiden:
            determineScope(tag, verdict, reason, of: job, at: queue)
        case .accepted:
            noteGoodAnswer(job: frame.job)
            finish(tag, outcome)
        default:
            finish(tag, outcome)
        }
    }

    /// Handles a message that the gateway did not process: it is submitted again immediately, on another
    /// connection, unless it has already been submitted the maximum number of times.
    func again(_ tag: UInt64, _ verdict: Verdict, _ reason: String, at queue: AccountQueue) {
        guard queue.givingBack == nil, !isDraining, !queue.isRetired, !queue.isRecalled else {
            return finish(tag, .neverSent(verdict, reason: reason))
        }
        let count = (tries[tag] ?? 0) + 1
        if count < (verdict.maximumTries > 0 ? Int(verdict.maximumTries) : Self.maxTries) {
            tries[tag] = count
            queue.again.append(tag)
            turns.join(queue.account)
        } else if verdict.scope == .account {
            // A renewed credential did not help, so the account stops.
            var held = verdict
            held.schedule = .hold
            refused(queue.account, held, reason: reason)
            finish(tag, .neverSent(held, reason: reason))
        } else {
            finish(tag, .rejected(verdict, reason: reason))
        }
    }

    package func discarded(tag: UInt64) {
        guard let frame = grants.frame(of: tag), let job = jobs[frame.job], let queue = queues[job.account],
            queue.givingBack == nil, !isDraining, !queue.isRetired, !queue.isRecalled, !isWithdrawn(job)
        else { return finish(tag, .stale) }
        queue.again.append(tag)
        turns.join(queue.account)
    }

    package func unreachable(_ account: AccountID, _ verdict: Verdict, reason: String) {
        reportEvent(account, .unreachable, verdict, reason)
    }

    package func refused(_ account: AccountID, _ verdict: Verdict, reason: String) {
        reportEvent(account, .refused, verdict, reason)
    }

    /// Reports the event to the master before the messages are given back, so that the account's breaker in
    /// the master is already waiting when the messages arrive.
    func reportEvent(_ account: AccountID, _ kind: AccountNews.Kind, _ verdict: Verdict, _ reason: String) {
        guard let queue = queues[account], queue.givingBack == nil else { return }
        queue.givingBack = (verdict, reason)
        turns.join(account)
        link.send(.accountNews(AccountNews(account: account, kind: kind, text: reason)))
    }

    package func renamed(tag: UInt64, to token: String) {
        guard let frame = grants.frame(of: tag) else { return }
        link.send(.renamed(frame.message(at: GrantRun.offset(of: tag)), token: token))
    }

    /// Gives back the account's messages that are waiting in this child, so that other accounts can use the
    /// capacity during the pause.
    package func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?) {
        guard let queue = queues[account], queue.givingBack == nil,
            tag.map({ isPauseOfAccount(account, tag: $0) }) ?? true
        else { return }
        queue.givingBack = (.pause, reason)
        turns.join(account)
        link.send(
            .accountNews(
                AccountNews(account: account, kind: .busy, text: reason, seconds: UInt32(clamping: seconds))))
    }

    package func makeRoom(for account: AccountID) -> Bool {
        let idle = queues.values.filter { $0.account != account && $0.isIdle }
        guard let queue = idle.min(by: { $0.lastUsed < $1.lastUsed }) else { return false }
        queue.connector.close()
        return true
    }

    package func connected(_ account: AccountID, to text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .connected, text: text)))
    }

    package func disconnected(_ account: AccountID, because text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .closed, text: text)))
    }
}
