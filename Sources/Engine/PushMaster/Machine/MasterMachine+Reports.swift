internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// The translation of children's reports into records and into log lines.
extension MasterMachine {
    mutating func take(_ frame: LinkFrame, from id: ChildID) {
        children[id]?.lastReceived = moment.monotonic
        do {
            if frame.kind == .outcomes {
                record(try OutcomesFrame(frame), from: id)
            } else {
                take(try LinkReport(frame), from: id)
            }
        } catch {
            lose(id, why: "the link failed: \(error)")
        }
    }

    private mutating func take(_ report: LinkReport, from id: ChildID) {
        switch report {
        case .hello:
            children[id]?.saidHello = true
        case .heartbeat(let beat):
            children[id]?.heartbeat = beat
            for account in beat.accounts { counters.add(account, in: accounts) }
            if beat.inFlight > 0 { children[id]?.hasSent = true }
            if beat.overdueRequests(isWorking: { isWorking($0) }) == 0 {
                children[id]?.lastProgress = moment.monotonic
            }
        case .accountNews(let news):
            let account = news.account
            let name = self.name(of: account)
            switch news.kind {
            case .connected:
                log(.info, "\(id) connected for \(name): \(news.text)", about: .account(account), .child(id))
            case .closed:
                log(
                    .info, "\(id) lost a connection for \(name): \(news.text)", about: .account(account),
                    .child(id))
            case .unreachable: accountFailed(account, .unreachable, name, news.text)
            case .refused where !news.topic.isEmpty: topicRefused(account, news.topic, news.text)
            case .refused: accountFailed(account, .refused, name, news.text)
            case .busy:
                failuresOf[account, default: RecentErrors()].note(news.text, at: moment.wall)
                let event = PartLedger.Event.pause(account, seconds: Int64(news.seconds), reason: news.text)
                obey(ledger.handle(event, at: now))
                let end = ledger.breaker(of: account)?.waitEnd.map { wallTime(of: $0).utcText } ?? "now"
                log(
                    .notice,
                    "\(name) is suspended until \(end), as its gateway requested (\(news.text)); one message "
                        + "is tried every few minutes, and 'pushmta account resume' ends the wait",
                    about: .account(account))
            }
        case .renamed(let message, let token):
            write(.rename(message, token))
        case .feedback(let account, let retired):
            if let reading = feedback[account] {
                write(.feedback(reading.apps, retired))
            }
        case .feedbackEnded(let account, let failure):
            feedbackEnded(account, failure)
        case .withdrawn(let delivery, let inFlight):
            withdrawn(delivery, inFlight: Int(inFlight), by: id)
        }
    }

    private mutating func accountFailed(
        _ account: AccountID, _ failure: AccountBreaker.Failure, _ name: String, _ text: String
    ) {
        failuresOf[account, default: RecentErrors()].note(text, at: moment.wall)
        if ledger.breaker(of: account)?.isWorking == true {
            let doing =
                failure == .refused
                ? "held back, its messages are waiting, and one is tried at intervals"
                : "held back and tried again at intervals"
            log(
                .warning, explained("\(name) is \(doing): \(text)", by: text, of: account),
                about: .account(account))
        }
        obey(ledger.handle(.failure(account, failure, reason: text), at: now))
    }

    /// Turns outcomes into records, grouped by delivery, and sends them to the writer. Requeued messages need
    /// no record, but their credit returns in the same order as the credit of all other messages.
    private mutating func record(_ frame: OutcomesFrame, from id: ChildID) {
        guard frame.count <= ChildLink.maximumOutcomes else {
            return lose(id, why: "the link delivered \(frame.count) outcomes at once")
        }
        let wall = moment.wall
        watchClock()
        let mayExpire = clock.mayExpire(at: now)
        var batches: [DeliveryID: OutcomeBatch] = [:]
        var tried: [AttemptGroup] = []
        var settlements: [GrantID: Settlement] = [:]
        var proofs = AnswerEvidence()
        var isProgress = !frame.accepted.isEmpty

        // Reports about a grant that was not sent or has ended settle nothing. Otherwise such a report could
        // close a grant although nothing is recorded for its messages.
        for (grant, messages) in frame.accepted {
            guard let job = jobs.job(of: grant), isGranted(grant, to: id, job) else { continue }
            settlements[grant, default: .none(of: grant)].outcomes += messages.count
            let account = job.order.account
            spans.answered(grant, .accepted, messages.count)
            counters.count(.accepted, messages.count, of: account, in: accounts)
            batches[job.order.delivery, default: OutcomeBatch(delivery: job.order.delivery)]
                .accept(messages, of: job)
            if settings.logsAttempts { tried.append(attempts(at: messages, of: grant, job)) }
            note(&proofs, .accepted(providerID: nil), of: job)
        }
        for report in frame.others {
            guard let job = jobs.job(of: report.grant), isGranted(report.grant, to: id, job) else { continue }
            settlements[report.grant, default: .none(of: report.grant)].outcomes += 1
            let account = job.order.account
            spans.answered(report.grant, report.outcome.evidence)
            count(report.outcome, of: account)
            switch decision(on: report, job, at: wall, mayExpire: mayExpire) {
            case .record(let decided):
                let record = job.accepted(decided)
                batches[job.order.delivery, default: OutcomeBatch(delivery: job.order.delivery)]
                    .others.append(record)
                if settings.logsAttempts {
                    tried.append(attempt(record, after: Int(report.attempts), job))
                }
            case .requeued:
                settlements[report.grant]?.requeued += 1
            }
            note(&proofs, report.outcome, of: job)
            isProgress = isProgress || !report.outcome.isTimedOut
            if let failure = report.outcome.failure {
                failuresOf[account, default: RecentErrors()].note(failure, at: wall)
            }
        }
        if let any = batches.keys.first {
            for answers in spans.takeSettled() { batches[any]?.count(answers) }
        }
        noteTraffic(settlements.values)
        for account in proofs.well { answeredWell(account) }
        for account in proofs.accounts { prove(account) }
        for topic in proofs.topics { prove(topic) }
        children[id]?.wasUseful = true
        if isProgress { children[id]?.lastProgress = moment.monotonic }
        children[id]?.pendingCommits += 1
        write(
            .record(
                StoreWriter.RecordJob(
                    child: id, batches: Array(batches.values), settlements: Array(settlements.values),
                    decided: wall, attempts: tried, answered: frame.since)))
    }

    /// Reports whether the child may report outcomes of the grant. If not, logs the fault. In that case, the
    /// outcomes must not be recorded.
    private mutating func isGranted(_ grant: GrantID, to id: ChildID, _ job: JobDefinition) -> Bool {
        guard let owner = ledger.child(of: grant), owner != id else { return true }
        report(
            EngineFault(
                .grantAndOutcome, of: job.order.delivery,
                "\(id) reported outcomes of grant \(grant.rawValue), which belongs to \(owner)"))
        return false
    }

    /// Logs the fault. If it concerns a delivery, that delivery is put on hold.
    mutating func report(_ fault: EngineFault) {
        counters.count(fault)
        let line = "\(fault); please report this line and the log before it"
        guard let delivery = fault.delivery else { return log(.critical, line) }
        log(.critical, line, about: .delivery(delivery))
        write(.hold(delivery, why: "\(fault)"))
    }

    /// The evidence in the answers of a frame.
    private struct AnswerEvidence {
        /// Accounts that the gateway admitted.
        var accounts: Set<AccountID> = []
        /// The accounts in `accounts` for which at least one message was ended by its answer.
        var well: Set<AccountID> = []
        /// Refused topics for which the gateway accepted a message or refused it on its merits.
        var topics: Set<PartLedger.TopicKey> = []
    }

    private func note(_ proofs: inout AnswerEvidence, _ outcome: Outcome, of job: JobDefinition) {
        guard outcome.provesAccount else { return }
        proofs.accounts.insert(job.order.account)
        if outcome.isFinal { proofs.well.insert(job.order.account) }
        if !outcome.isAboutTopic, let topic = refusableTopic(of: job) { proofs.topics.insert(topic) }
    }

    private mutating func noteTraffic(_ settlements: some Sequence<Settlement>) {
        for settlement in settlements {
            guard let order = jobs.job(of: settlement.grant)?.order else { continue }
            traffic[order.account, default: AccountTraffic()].answered(
                settlement.outcomes, requeued: settlement.requeued, at: now)
            let answered = settlement.outcomes - settlement.requeued
            if answered > 0 { sending[order.delivery, default: RecentRate()].add(answered, at: now) }
        }
    }

    private mutating func count(_ outcome: Outcome, of account: AccountID) {
        let (answer, reason) = outcome.counted
        counters.count(answer, of: account, in: accounts)
        if let reason { counters.count(reason: reason, of: answer) }
    }

    private mutating func prove(_ account: AccountID) {
        guard ledger.breaker(of: account)?.isWorking == false else { return }
        obey(ledger.handle(.proved(account), at: now))
        if ledger.breaker(of: account)?.isWorking == true {
            log(.notice, "\(name(of: account)) works again", about: .account(account))
        }
    }

    /// Decides what happens to the message after this outcome. The delivery may have its own retry calendar.
    private func decision(
        on report: ReportedOutcome, _ job: JobDefinition, at wall: WallTime, mayExpire: Bool
    ) -> RetryPolicy.Decision {
        retries(of: job).decide(
            report.outcome,
            of: RetryPolicy.Message(
                id: report.message, attempts: Int(report.attempts),
                expiresAt: mayExpire ? job.order.expiresAt : nil,
                account: job.mark, isNowOrNever: job.order.isNowOrNever),
            at: wall, jitter: { $0 + chance(0...max($0 / 4, 1)) })
    }

    private func retries(of job: JobDefinition) -> RetryPolicy {
        guard job.retry != RetryOverride() else { return retries }
        return RetryPolicy(calendar: retries.calendar.overridden(by: job.retry), fast: retries.fast)
    }
}

extension Settlement {
    fileprivate static func none(of grant: GrantID) -> Settlement {
        Settlement(grant: grant, outcomes: 0, requeued: 0)
    }
}

extension OutcomeBatch {
    fileprivate mutating func accept(_ messages: [MessageID], of job: JobDefinition) {
        guard job.validatesOnly else { return accepted.append(contentsOf: messages) }
        others += messages.map {
            job.accepted(MessageRecord(message: $0, change: .sent(providerID: nil), countsAttempt: true))
        }
    }
}

extension Outcome {
    /// The evidence that this outcome provides about the account's tokens.
    fileprivate var evidence: AnswerSpans.Answer {
        switch self {
        case .accepted: .accepted
        // A quota for one device concerns a token, too, but does not show that the token is bad.
        case .rejected(let verdict, _) where verdict.quarantine != .no: .aboutToken
        case .undecided: .unanswered
        case .rejected, .neverSent, .tooLarge, .missing: .nothing
        }
    }

    /// Whether the gateway accepted the message or judged it on its merits. In both cases, the gateway
    /// admitted the account.
    fileprivate var provesAccount: Bool {
        switch self {
        case .accepted: true
        case .rejected(let verdict, _):
            verdict.scope == .token || verdict.scope == .topic
                // An answer after which the message is tried again may concern more than the message.
                || verdict.scope == .message && verdict.schedule == .none
        case .undecided, .neverSent, .tooLarge, .missing: false
        }
    }

    fileprivate var isAboutTopic: Bool {
        if case .rejected(let verdict, _) = self { verdict.scope == .topic } else { false }
    }

    /// Whether the message gets no further attempt.
    fileprivate var isFinal: Bool {
        if case .rejected(let verdict, _) = self { verdict.schedule == .none } else { true }
    }

    /// The text that describes the account's problem to the operator: the gateway's reason for rejecting the
    /// message, or the information that the gateway did not answer.
    fileprivate var failure: String? {
        switch self {
        case .rejected(_, let reason), .undecided(_, let reason): reason
        case .accepted, .neverSent, .tooLarge, .missing: nil
        }
    }
}
