internal import GatewayKit
internal import Glibc
internal import PushConnectors
internal import PushModel
internal import PushSchedule
internal import PushSystem
package import PushTransport
internal import PushWire

/// A child that receives orders and sends reports: one thread around one transport loop and the link.
///
/// **Promises.** The child always reads its link, and ends when the link closes. It reports exactly one
/// outcome for each message that it was granted. It submits nothing new while its reports back up. Accounts
/// take turns. **Failures.** If an account has a problem, its messages are given back with the reason. A
/// fault in the link or in the transport itself ends the process, and the master requeues its messages.
package final class Child {
    /// The number of messages that one account submits before the next account has its turn.
    static let quantum = 64
    /// The maximum time for which a report waits to be combined with other reports.
    static let reportAfterMilliseconds: Int64 = 5
    /// The size of the unsent reports, in bytes, above which submissions stop.
    static let backlogBytes = 1 << 20
    /// The maximum time for which a drained child reads a feedback service: enough for half a million
    /// devices.
    static let lastFeedbackSeconds: Int64 = 10
    /// The maximum number of consecutive submissions of a message that the gateway does not process. After
    /// that, the message waits before the next attempt.
    static let maxTries = 3

    let loop: TransportLoop
    var link: ChildSideLink
    var grants = GrantTable()
    var queues: [AccountID: AccountQueue] = [:]
    var turns = RoundRobin<AccountID>(quantum: Child.quantum)
    /// Accounts whose connectors received messages and must be flushed.
    var submitted: [AccountQueue] = []
    var jobs: [JobID: JobOrder] = [:]
    /// The reasons why no connector could be created, keyed by account.
    var unusableAccounts: [AccountID: String] = [:]
    /// The reasons why the content could not be compiled, keyed by job.
    var unusableJobs: [JobID: String] = [:]
    /// Withdrawn deliveries. The child begins no further requests for their messages.
    var withdrawn: Set<DeliveryID> = []
    /// For each message that was submitted more than once, the number of repeated submissions, keyed by tag.
    /// There are few such messages.
    var tries: [UInt64: Int] = [:]
    /// The evidence about accounts whose latest answers may concern more than the messages that they answer.
    /// There are few such accounts, and usually none.
    var scopes: [AccountID: AnswerScopes] = [:]
    let sharedRequests = SharedRequests()
    /// The feedback services that this child is reading, keyed by account.
    var feedback: [AccountID: FeedbackRelay] = [:]
    var outcomes = OutcomesFrameBuilder()
    var oldestOutcome: MonotonicTime?
    var welcome: WelcomeOrder?
    var isDraining = false
    /// The moment, measured by ``Clocks/boot()``, from which the child begins no requests, because another
    /// host may take over the store; `nil` if no other host can.
    var lease: MonotonicTime?
    /// The clock that ``lease`` is compared with.
    var bootClock: () -> MonotonicTime = Clocks.boot
    /// Until this moment, the child does not use the wall clock to expire messages, because that clock has
    /// jumped.
    var graceEnd: MonotonicTime?
    var lastWork: MonotonicTime
    var nextBeat: MonotonicTime

    /// The idle time after which a child with an open gateway connection ends. It is long because such a
    /// connection is worth keeping.
    static let idleWithConnectionSeconds: Int64 = 3_600

    package init(loop: TransportLoop, link: ChildSideLink) {
        self.loop = loop
        self.link = link
        lastWork = MonotonicTime(nanoseconds: loop.now)
        nextBeat = lastWork
    }

    var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    package func run() throws {
        link.send(.hello(version: ChildLink.version, processID: getpid()))
        watchLink()
        while true {
            let ready = try loop.wait(atMostMilliseconds: millisecondsToWait())
            for descriptor in ready where descriptor.descriptor == link.descriptor {
                if descriptor.isWritable { link.flush() }
                guard descriptor.isReadable else { continue }
                switch try link.receive() {
                case .ended: return
                case .frames(let frames): for frame in frames { try take(frame) }
                }
            }
            submit()
            flushSubmitted()
            report()
            if now >= nextBeat { beat() }
            if isOver { return leave() }
            watchLink()
        }
    }

    func watchLink() {
        loop.watch(descriptor: link.descriptor, reads: true, writes: link.backlog > 0)
    }

    func millisecondsToWait() -> Int32 {
        var until = nextBeat
        if let oldestOutcome {
            until = min(until, oldestOutcome.advanced(byMilliseconds: Self.reportAfterMilliseconds))
        }
        let canSubmit =
            link.backlog < Self.backlogBytes && mayBegin
            && turns.members.contains { queues[$0].map { $0.hasWork && $0.connector.credit > 0 } ?? false }
        return canSubmit ? 0 : Int32(clamping: max(until.milliseconds(since: now), 0) + 1)
    }

    // MARK: Orders

    func take(_ frame: LinkFrame) throws {
        if frame.kind == .grant { return try take(try GrantFrame(frame)) }
        switch try LinkOrder(frame) {
        case .welcome(let order): (welcome, lease) = (order, order.lease)
        case .lease(let moment): lease = moment
        case .account(let order): open(order)
        case .job(let job):
            jobs[job.job] = job
            admit(job)
        case .retireJob(let job):
            unusableJobs[job] = nil
            if let order = jobs.removeValue(forKey: job) {
                queues[order.account]?.connector.retire(job: job)
                forgetIfWithdrawn(order.delivery)
            }
        case .drain: drain()
        case .recall(let account): if let queue = queues[account] { recall(queue) }
        case .resume(let account): resume(account)
        case .withdraw(let delivery): withdraw(delivery)
        case .retireAccount(let account): retire(account)
        case .pollFeedback(let account): pollFeedback(account)
        case .clockJumped(let graceSeconds):
            graceEnd = now.advanced(bySeconds: Int64(graceSeconds))
            for queue in queues.values { queue.connector.renewCredential() }
        }
    }

    /// Gives back the account's messages. Messages in flight may finish, but are not submitted again if their
    /// gateway did not process them.
    func recall(_ queue: AccountQueue) {
        queue.isRecalled = true
        giveBackAll(queue, .stale)
    }

    /// Retires an account that has a successor. Messages in flight may finish.
    func retire(_ account: AccountID) {
        unusableAccounts[account] = nil
        scopes[account] = nil
        guard let queue = queues[account] else { return }
        giveBackAll(queue, .stale)
        queue.isRetired = true
        queue.connector.close()
    }

    /// Gives back the messages that were not submitted, so that they can be granted to another child or at a
    /// later time. After that, this child waits only for messages in flight.
    func drain() {
        isDraining = true
        for queue in queues.values { giveBackAll(queue, .stale) }
        for relay in feedback.values { relay.reader?.finish(withinSeconds: Self.lastFeedbackSeconds) }
    }

    func open(_ order: AccountOrder) {
        do {
            let connector = try ConnectorCatalogue.make(for: order, loop: loop, events: self)
            queues[order.account] = AccountQueue(order, connector: connector, at: now)
            for job in jobs.values where job.account == order.account { admit(job) }
        } catch {
            unusableAccounts[order.account] = "\(error)"
        }
    }

    func admit(_ job: JobOrder) {
        guard let queue = queues[job.account] else { return }
        do { try queue.connector.admit(job) } catch {
            // The fault is in this job's content, not in the account, so the account's other jobs continue.
            unusableJobs[job.job] = "\(error)"
        }
    }

    func take(_ frame: GrantFrame) throws {
        lastWork = now
        let place = grants.add(frame, at: now)
        guard !isDraining, let job = jobs[frame.job], !withdrawn.contains(job.delivery) else {
            return giveBack(grant: place, .stale)
        }
        if let why = unusableJobs[frame.job] { return giveBack(grant: place, .unusable(why)) }
        guard let queue = queues[job.account] else {
            // The refusal is reported again for each grant, before the grant's outcomes, so that the
            // account's breaker in the master waits longer each time.
            let why = unusableAccounts[job.account] ?? "the account is unknown to this child"
            link.send(.accountNews(AccountNews(account: job.account, kind: .refused, text: why)))
            return giveBack(grant: place, .stale)
        }
        // The grant was on its way to this child when the account was retired.
        if queue.isRetired { return giveBack(grant: place, .stale) }
        queue.givingBack = nil
        queue.isRecalled = false
        queue.grants.append(place, job.priority)
        turns.join(queue.account)
    }

    // MARK: Life

    func beat() {
        nextBeat = now.advanced(bySeconds: ChildLink.heartbeatSeconds)
        let wall = Clocks.wall()
        for queue in queues.values {
            giveBackStale(queue, wall)
            // `flush` also does a connector's timed work, such as renewing its token, so it is called here
            // even if nothing was submitted.
            queue.connector.flush()
        }
        let beats = queues.values.compactMap { $0.takeBeat() }
        queues = queues.filter { !$0.value.isRetired || $0.value.connector.inFlight > 0 }
        let inFlight = queues.values.reduce(0) { $0 + $1.connector.inFlight }
        link.send(
            .heartbeat(
                Heartbeat(
                    waiting: UInt32(clamping: grants.openMessages - inFlight),
                    inFlight: UInt32(clamping: inFlight),
                    openConnections: UInt32(clamping: openConnections),
                    residentKilobytes: ResidentMemory.kilobytes(), accounts: beats)
            )
        )
    }

    var openConnections: Int { queues.values.reduce(0) { $0 + $1.connector.openConnections } }

    /// Whether the child should end: it has nothing to do and was asked to drain, or it has been idle for too
    /// long to be worth keeping.
    var isOver: Bool {
        guard grants.isEmpty, outcomes.count == 0, link.backlog == 0, feedback.isEmpty else { return false }
        if isDraining { return true }
        guard let welcome else { return false }
        let idle = openConnections > 0 ? Self.idleWithConnectionSeconds : Int64(welcome.idleSeconds)
        return now > lastWork.advanced(bySeconds: idle)
    }

    func leave() {
        // Reports the counts since the last heartbeat.
        beat()
        for queue in queues.values { queue.connector.close() }
    }
}
