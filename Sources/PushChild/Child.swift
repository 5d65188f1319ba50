internal import Glibc
internal import PushConnectors
internal import PushModel
internal import PushSchedule
internal import PushTransport
internal import PushWire

/// Orders in, reports out: one thread around one transport loop and the link.
///
/// **Promises.** Reads its link always, and ends when it closes. Reports exactly one outcome for each message that it
/// was granted. Submits nothing new while its reports back up. Accounts take turns.
/// **Failures.** What concerns one account goes back with that account's messages; a fault of the link or of the
/// transport itself ends the process, and the master requeues.
final class Child {
    /// Submissions of one account before the next has its turn.
    private static let quantum = 64
    /// Reports wait at most this long for company.
    private static let reportAfterMilliseconds: Int64 = 5
    /// Reports that back up beyond this stop submissions.
    private static let backlogBytes = 1 << 20
    /// A message that gateways would not look at so often goes back to the master.
    private static let mostTries = 10

    private let loop: TransportLoop
    private var link: ChildSideLink
    private var grants = GrantTable()
    private var desks: [UInt32: AccountDesk] = [:]
    private var turns = TurnTaking<UInt32>(quantum: Child.quantum)
    private var jobs: [UInt32: JobOrder] = [:]
    private var outcomes = OutcomesFrameBuilder()
    private var oldestOutcome: MonotonicTime?
    private var welcome: WelcomeOrder?
    private var isDraining = false
    private var lastWork: MonotonicTime
    private var nextBeat: MonotonicTime

    /// An open gateway connection is worth keeping: a child that has one is idle only after this.
    private static let idleWithConnectionSeconds: Int64 = 3_600

    init(loop: TransportLoop, link: ChildSideLink) {
        self.loop = loop
        self.link = link
        lastWork = MonotonicTime(nanoseconds: loop.now)
        nextBeat = lastWork
    }

    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    func run() throws {
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
            for desk in desks.values { desk.connector.flush() }
            report()
            if now >= nextBeat { beat() }
            if isOver { return leave() }
            watchLink()
        }
    }

    private func watchLink() {
        loop.watch(descriptor: link.descriptor, reads: true, writes: link.backlog > 0)
    }

    private func millisecondsToWait() -> Int32 {
        var until = nextBeat
        if let oldestOutcome { until = min(until, oldestOutcome.advanced(byMilliseconds: Self.reportAfterMilliseconds)) }
        let canSubmit = link.backlog < Self.backlogBytes && desks.values.contains { $0.hasWork && $0.connector.room > 0 }
        return canSubmit ? 0 : Int32(clamping: max(until.milliseconds(since: now), 0) + 1)
    }

    // MARK: Orders

    private func take(_ frame: LinkFrame) throws {
        if frame.kind == .grant { return try take(try GrantFrame(frame)) }
        switch try LinkOrder(frame) {
        case .welcome(let order): welcome = order
        case .account(let order): open(order)
        case .job(let job):
            jobs[job.job] = job
            admit(job)
        case .retireJob(let job):
            if let order = jobs.removeValue(forKey: job) { desks[order.account]?.connector.retire(job: job) }
        case .drain: isDraining = true
        }
    }

    private func open(_ order: AccountOrder) {
        do {
            let connector = try ConnectorCatalogue.make(for: order, loop: loop, events: self)
            desks[order.account] = AccountDesk(account: order.account, connector: connector)
        } catch {
            link.send(.accountNews(AccountNews(account: order.account, kind: .refused, text: "\(error)")))
        }
    }

    private func admit(_ job: JobOrder) {
        guard let desk = desks[job.account] else { return }
        do { try desk.connector.admit(job) } catch {
            jobs[job.job] = nil
            link.send(.accountNews(AccountNews(account: job.account, kind: .refused, text: "\(error)")))
        }
    }

    private func take(_ frame: GrantFrame) throws {
        lastWork = now
        let place = grants.add(frame, at: now)
        // A job that could not be admitted was reported when it came; its messages go back.
        guard let job = jobs[frame.job], let desk = desks[job.account] else {
            return giveBack(grant: place, .unaddressable, "the account or the content cannot be used")
        }
        desk.givingBack = nil
        desk.grants.append(place)
        turns.join(desk.account)
    }

    // MARK: Submitting

    private func submit() {
        guard link.backlog < Self.backlogBytes else { return }
        let wall = WallClock.now()
        // Each account has at least one turn; the loop ends when nobody could submit anything.
        var idle = 0
        while idle < turns.count, let account = turns.take() {
            guard let desk = desks[account], desk.hasWork else {
                turns.leave(account)
                continue
            }
            if let (verdict, reason) = desk.givingBack {
                giveBackAll(desk, verdict, reason)
            } else if desk.connector.room > 0 {
                let submitted = takeTurn(desk, wall)
                idle = submitted ? 0 : idle + 1
            } else {
                desk.connector.wake()
                idle += 1
            }
        }
    }

    /// Up to a quantum of messages; false when there was room for none.
    private func takeTurn(_ desk: AccountDesk, _ wall: WallTime) -> Bool {
        var left = Self.quantum
        while left > 0, let tag = desk.again.last {
            guard let frame = grants.frame(of: tag) else {
                desk.again.removeLast()
                continue
            }
            let entry = frame.entry(at: GrantTable.offset(of: tag))
            guard hand(entry, frame, tag, to: desk) else { return left < Self.quantum }
            desk.again.removeLast()
            left -= 1
        }
        while left > 0, let place = desk.grants.first {
            guard let (frame, offset) = grants.next(of: place) else {
                desk.grants.removeFirst()
                continue
            }
            if isStale(place, frame, wall) {
                desk.grants.removeFirst()
                giveBack(grant: place, .unaddressable, "its validity or its time in the child is over")
                continue
            }
            let entry = frame.entry(at: offset)
            let tag = GrantTable.tag(place: place, offset: offset)
            guard hand(entry, frame, tag, to: desk) else { return left < Self.quantum }
            left -= 1
        }
        return true
    }

    /// False when the connector has no room.
    @inline(__always)
    private func hand(_ entry: GrantEntry, _ frame: GrantFrame, _ tag: UInt64, to desk: AccountDesk) -> Bool {
        switch desk.connector.submit(entry, of: frame, tag: tag) {
        case .noRoom:
            return false
        case .taken:
            if grants.isNext(tag) { grants.advance(GrantTable.place(of: tag), to: entry.next) }
        case .tooLarge(let bytes, let limit):
            if grants.isNext(tag) { grants.advance(GrantTable.place(of: tag), to: entry.next) }
            finish(tag, .tooLarge(bytes: bytes, limit: limit))
        }
        return true
    }

    /// Too old to send: the validity of its delivery is over, or it waited here for longer than a child may keep it.
    private func isStale(_ place: Int, _ frame: GrantFrame, _ wall: WallTime) -> Bool {
        guard let job = jobs[frame.job] else { return true }
        if job.expiresAt <= wall { return true }
        guard let welcome, let arrived = grants[place]?.arrived else { return false }
        return now > arrived.advanced(bySeconds: Int64(welcome.maximumAgeSeconds))
    }

    // MARK: Outcomes

    private func finish(_ tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag) else { return }
        let entry = frame.entry(at: GrantTable.offset(of: tag))
        outcomes.append(outcome, message: entry.message, attempts: entry.attempts, grant: frame.grant)
        noteOutcome()
        grants.close(tag)
    }

    @inline(__always)
    private func noteOutcome() {
        if oldestOutcome == nil { oldestOutcome = now }
        if outcomes.count >= ChildLink.maximumOutcomes { sendOutcomes() }
    }

    private func sendOutcomes() {
        lastWork = now
        oldestOutcome = nil
        link.send(outcomes.finish())
    }

    private func report() {
        guard let oldestOutcome, outcomes.count > 0 else { return }
        let isOld = now >= oldestOutcome.advanced(byMilliseconds: Self.reportAfterMilliseconds)
        if isOld || outcomes.count >= ChildLink.maximumOutcomes / 2 || grants.isEmpty { sendOutcomes() }
    }

    /// Every message of the account that is not in flight goes back unsent.
    private func giveBackAll(_ desk: AccountDesk, _ verdict: Verdict, _ reason: String) {
        for tag in desk.again { finish(tag, .neverSent(verdict, reason: reason)) }
        desk.again = []
        for place in desk.grants { giveBack(grant: place, verdict, reason) }
        desk.grants = []
        turns.leave(desk.account)
    }

    private func giveBack(grant place: Int, _ verdict: Verdict, _ reason: String) {
        while let (frame, offset) = grants.next(of: place) {
            grants.advance(place, to: frame.entry(at: offset).next)
            finish(GrantTable.tag(place: place, offset: offset), .neverSent(verdict, reason: reason))
        }
    }

    // MARK: Life

    private func beat() {
        nextBeat = now.advanced(bySeconds: ChildLink.heartbeatSeconds)
        let inFlight = desks.values.reduce(0) { $0 + $1.connector.inFlight }
        link.send(
            .heartbeat(
                Heartbeat(
                    waiting: UInt32(clamping: grants.openMessages - inFlight), inFlight: UInt32(clamping: inFlight),
                    openConnections: UInt32(clamping: openConnections),
                    residentKilobytes: ResidentMemory.kilobytes())))
    }

    private var openConnections: Int { desks.values.reduce(0) { $0 + $1.connector.openConnections } }

    /// Nothing to do and told to go, or nothing to do for so long that a master can have it back.
    private var isOver: Bool {
        guard grants.isEmpty, outcomes.count == 0, link.backlog == 0 else { return false }
        if isDraining { return true }
        guard let welcome else { return false }
        let idle = openConnections > 0 ? Self.idleWithConnectionSeconds : Int64(welcome.idleSeconds)
        return now > lastWork.advanced(bySeconds: idle)
    }

    private func leave() {
        for desk in desks.values { desk.connector.close() }
    }
}

extension Child: ConnectorEvents {
    func accepted(tag: UInt64) {
        guard let frame = grants.frame(of: tag) else { return }
        outcomes.accepted(frame.entry(at: GrantTable.offset(of: tag)).message, grant: frame.grant)
        noteOutcome()
        grants.close(tag)
    }

    func ended(tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag), let job = jobs[frame.job], let desk = desks[job.account] else {
            return finish(tag, outcome)
        }
        switch outcome {
        case .rejected(let verdict, let reason) where verdict.schedule == .now,
            .neverSent(let verdict, let reason) where verdict.schedule == .now:
            let tries = (desk.tries[tag] ?? 0) + 1
            let most = verdict.maximumTries > 0 ? Int(verdict.maximumTries) : Self.mostTries
            if tries < most, desk.givingBack == nil {
                desk.tries[tag] = tries
                desk.again.append(tag)
                turns.join(desk.account)
            } else {
                desk.tries[tag] = nil
                if verdict.scope == .account, desk.givingBack == nil {
                    var held = verdict
                    held.schedule = .hold
                    refused(desk.account, held, reason: reason)
                }
                finish(tag, .neverSent(verdict, reason: reason))
            }
        default:
            if !desk.tries.isEmpty { desk.tries[tag] = nil }
            finish(tag, outcome)
        }
    }

    func unreachable(_ account: UInt32, _ verdict: Verdict, reason: String) {
        tell(account, .unreachable, verdict, reason)
    }

    func refused(_ account: UInt32, _ verdict: Verdict, reason: String) {
        tell(account, .refused, verdict, reason)
    }

    /// News first, messages after: the master's gate is closed before they wait again.
    private func tell(_ account: UInt32, _ kind: AccountNews.Kind, _ verdict: Verdict, _ reason: String) {
        guard let desk = desks[account], desk.givingBack == nil else { return }
        desk.givingBack = (verdict, reason)
        turns.join(account)
        link.send(.accountNews(AccountNews(account: account, kind: kind, text: reason)))
    }

    func connected(_ account: UInt32, to text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .connected, text: text)))
    }

    func disconnected(_ account: UInt32, because text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .closed, text: text)))
    }
}

extension Verdict {
    /// For messages that cannot be sent for a reason of ours: as if they had never been granted.
    fileprivate static let unaddressable = Verdict(
        scope: .account, schedule: .hold, countsAttempt: false, failureType: .undefined, failureReason: .undefined,
        quarantine: .no)
}
