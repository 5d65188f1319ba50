package import PushModel
package import PushSchedule
package import PushStore
internal import PushSystem
internal import Synchronization

/// The inbox for everything that the loop sends to be written. Outcomes and related writes go directly to the
/// ``WriteService``, and everything else to the thread of ``StoreWriter``. Any thread may send, and sending
/// never waits.
///
/// **Promises.** The service receives jobs in the order in which they were sent. A child's credit returns
/// (``LoopEvent/committed(_:_:latency:)``) only after the commit, or when it is certain that there will be no
/// commit.
package final class WriterInbox: Sendable {
    let mailbox: Mailbox<StoreWriter.Job>
    let service: WriteService
    /// The intake through which other services of this process submit single messages.
    let messages: MessageIntake
    let store: Store
    let loop: Mailbox<LoopEvent>
    let rules: SharedRules
    let role: HostRole
    /// The clock by which rows are dated and validities are judged.
    let wall: @Sendable () -> WallMoment
    let clock: WrittenClock
    private let attempts: (any AttemptLog)?
    private let lastTriesSeconds: Int64
    private let moments = Mutex<(lastRecord: MonotonicTime?, lastTry: MonotonicTime?)>((nil, nil))

    /// - Parameters:
    ///   - lastTriesSeconds: After the order to stop, writes to a failing store are repeated, and feedback is
    ///     applied, for this number of seconds. It applies if no ``StoreWriter/Job/lastTry(by:)`` was sent
    ///     before.
    ///   - capacity: The maximum number of messages that are granted to a child and whose outcomes are not
    ///     committed yet; `nil` if there are no children.
    ///   - role: The role of this host among the hosts that share the store.
    ///   - writerName: The name under which this writer's commits are numbered. No other host uses this name.
    package init(
        store: Store, loop: Mailbox<LoopEvent>, rules: VerdictRules, capacity: Int? = nil,
        attempts: (any AttemptLog)? = nil,
        lastTriesSeconds: Int64 = 30, role: HostRole = HostRole(isShared: false),
        writerName: String = "master",
        wall: @escaping @Sendable () -> WallMoment = Clocks.moment
    ) throws(MasterError) {
        let mailbox = try Mailbox<StoreWriter.Job>()
        self.mailbox = mailbox
        self.store = store
        self.loop = loop
        let rules = SharedRules(rules)
        self.rules = rules
        self.role = role
        self.wall = wall
        self.attempts = attempts
        self.lastTriesSeconds = lastTriesSeconds
        clock = WrittenClock(wall)
        service = WriteService(
            store: store, engine: store.writeEngine(name: writerName), capacity: capacity,
            judge: rules.judge,
            clock: clock.writeClock
        ) { event in
            switch event {
            case .failure(let why): loop.send(.storeFailure(why))
            case .recovered: loop.send(.storeRecovered)
            case .damaged(let delivery, let why):
                loop.send(.damaged(delivery, why: why))
                mailbox.send(.held(delivery))
            case .setAside(let why): loop.send(.setAside(why))
            case .recorded(let result):
                if !result.judgements.isEmpty { mailbox.send(.judged(result.judgements)) }
                if !result.finished.isEmpty { loop.send(.finished(result.finished)) }
                for fault in result.faults { loop.send(.engineFault(fault)) }
            }
        }
        messages = MessageIntake(service: service, clock: wall) { parts, repaired in
            // These parts are passed to the loop without a search, like parts that were just prepared.
            let prepared = parts.map { PreparedPart(part: $0.part, priority: $0.priority) }
            if !prepared.isEmpty { loop.send(.prepared(prepared)) }
            if let repaired { loop.send(.numbersRepaired(repaired)) }
        }
    }

    /// The last time when outcomes were recorded.
    var lastRecord: MonotonicTime? { moments.withLock(\.lastRecord) }
    /// The moment after which no further attempt to write is made; `nil` if there is no such moment. It is
    /// set when the shutdown begins, or at the latest by the order to stop.
    var lastTry: MonotonicTime? { moments.withLock(\.lastTry) }
    var isPastLastTry: Bool { lastTry.map { Clocks.monotonic() >= $0 } ?? false }

    /// Runs the write service, on a separate thread, until the ``StoreWriter`` has ended.
    package func write() { service.run() }
    /// Runs the service's completions, on another thread, until the service has ended.
    package func callBack() { service.callBack() }
    /// Ends the service. Used if there is no ``StoreWriter`` that ends it.
    func end() { service.end() }

    package func send(_ job: StoreWriter.Job) {
        switch job {
        case .record(let job): record(job)
        case .rename(let message, let token):
            write(rows: 4) { [wall] store throws(StoreError) in
                _ = try store.tokens.rename(subscriberOf: message, to: token, at: wall())
            } then: { _ in
            }
        case .hold(let delivery, let why):
            let (loop, mailbox) = (loop, mailbox)
            write(rows: 1) { [wall] store throws(StoreError) in
                try store.repair.hold(delivery, because: why, at: wall())
            } then: { result in
                guard case .success = result else { return }
                loop.send(.damaged(delivery, why: why))
                mailbox.send(.held(delivery))
            }
        case .failRange(_, let delivery, let range):
            let rows = Int(range.upperBound.rawValue - range.lowerBound.rawValue) + 3
            fail(of: delivery, rows: rows, told: []) { [wall] store throws(StoreError) in
                try store.outcomes.failLost(range, of: delivery, at: wall())
            }
        case .failMessages(let messages, let delivery):
            fail(of: delivery, rows: messages.count + 2, told: messages) { [wall] store throws(StoreError) in
                try store.outcomes.failLost(messages, of: delivery, at: wall())
            }
        case .count(let answers):
            write(rows: 2 * answers.count) { [wall, rules] store throws(StoreError) in
                try store.outcomes.count(answers, at: wall(), judge: rules.judge)
            } then: { [mailbox] result in
                guard case .success(let judgements) = result, !judgements.isEmpty else { return }
                mailbox.send(.judged(judgements))
            }
        case .ping: service.ping { [loop] in loop.send(.turned(.writer)) }
        case .rests:
            // The job is sent only after the account's answers are recorded, because all of them are part of
            // the judgement.
            service.afterOutcomes { [mailbox] in mailbox.send(job) }
        case .stop:
            let otherwise = Clocks.monotonic().advanced(bySeconds: lastTriesSeconds)
            let lastTry = moments.withLock { moments in
                moments.lastTry = moments.lastTry ?? otherwise
                return moments.lastTry ?? otherwise
            }
            service.hurry(until: lastTry)
            mailbox.send(job)
        case .lastTry(let moment): moments.withLock { $0.lastTry = moment }
        case .abandon:
            service.hurry(until: Clocks.monotonic())
            mailbox.send(job)
        case .reconfigure(let settings):
            rules.now = settings.verdicts
            mailbox.send(job)
        case .postponeExpiry:
            // The ping causes the service to adjust due times to the clock even if nothing else is written.
            service.ping {}
            mailbox.send(job)
        case .lookAtPause, .cancelStopped, .held, .judged, .prepared, .feedback, .feedbackEnded, .look,
            .lookAround:
            mailbox.send(job)
        }
    }

    private func record(_ job: StoreWriter.RecordJob) {
        let (child, settlements, loop) = (job.child, job.settlements, loop)
        let (attempts, tried) = (attempts, job.attempts)
        service.record(job.batches, decided: job.decided) { [weak self] failure in
            guard failure == nil else { return }
            if !tried.isEmpty { attempts?.append(tried) }
            let now = Clocks.monotonic()
            self?.moments.withLock { $0.lastRecord = now }
            let latency = job.answered.map { answered in
                CommitLatency(
                    nanoseconds: now.nanoseconds - answered.nanoseconds,
                    outcomes: settlements.reduce(0) { $0 + $1.outcomes })
            }
            loop.send(.committed(child, settlements, latency: latency))
        }
    }

    /// Ends the messages of a lost child that must not be sent again.
    private func fail(
        of delivery: DeliveryID, rows: Int, told messages: [MessageID],
        _ body: @escaping @Sendable (Store) throws(StoreError) -> LostStep
    ) {
        let loop = loop
        write(rows: rows, body) { result in
            guard case .success(let step) = result else { return }
            if !messages.isEmpty { loop.send(.lostFailed(messages)) }
            if step.isFinished { loop.send(.finished([delivery])) }
        }
    }

    private func write<Value: Sendable>(
        rows: Int, _ body: @escaping @Sendable (Store) throws(StoreError) -> Value,
        then completion: @escaping @Sendable (Result<Value, WriteService.Failure>) -> Void
    ) {
        service.submit(.outcomes, rows: rows, body, completion: completion)
    }
}

/// The rules by which verdicts about tokens are believed and applied.
package struct VerdictRules: Sendable {
    var storms: StormRule
    var quarantine: QuarantineRules

    package init(storms: StormRule, quarantine: QuarantineRules) {
        self.storms = storms
        self.quarantine = quarantine
    }
}

/// The current rules, shared by all threads of the writer.
final class SharedRules: Sendable {
    private let rules: Mutex<VerdictRules>

    init(_ rules: VerdictRules) { self.rules = Mutex(rules) }

    var now: VerdictRules {
        get { rules.withLock(\.self) }
        set { rules.withLock { $0 = newValue } }
    }

    /// Judges an account within a transaction that records answers.
    @Sendable func judge(_ trust: AccountTrust) -> TrustJudgement {
        TokenVerdictProcessor.judge(trust, by: now.storms, isAtRest: false)
    }
}
