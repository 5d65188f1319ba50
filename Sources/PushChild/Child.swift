internal import Glibc
internal import PushConnectors
package import PushModel
internal import PushSchedule
package import PushTransport
internal import PushWire

/// Orders in, reports out: one thread around one transport loop and the link.
///
/// **Promises.** Reads its link always, and ends when it closes. Reports exactly one outcome for each message that it
/// was granted. Submits nothing new while its reports back up. Accounts take turns.
/// **Failures.** What concerns one account goes back with that account's messages; a fault of the link or of the
/// transport itself ends the process, and the master requeues.
package final class Child {
    /// Submissions of one account before the next has its turn.
    private static let quantum = 64
    /// Reports wait at most this long for company.
    private static let reportAfterMilliseconds: Int64 = 5
    /// Reports that back up beyond this stop submissions.
    private static let backlogBytes = 1 << 20
    /// A message that the gateway would not look at so often waits before it is tried again.
    private static let mostTries = 3

    private let loop: TransportLoop
    private var link: ChildSideLink
    private var grants = GrantTable()
    private var desks: [UInt32: AccountDesk] = [:]
    private var turns = TurnTaking<UInt32>(quantum: Child.quantum)
    private var jobs: [UInt32: JobOrder] = [:]
    /// Why no connector could be made for an account, or a content not be compiled for an app.
    private var unusableAccounts: [UInt32: String] = [:]
    private var unusableJobs: [UInt32: String] = [:]
    /// Tries of the messages that were submitted more than once, by tag: few.
    private var tries: [UInt64: Int] = [:]
    private var outcomes = OutcomesFrameBuilder()
    private var oldestOutcome: MonotonicTime?
    private var welcome: WelcomeOrder?
    private var isDraining = false
    private var lastWork: MonotonicTime
    private var nextBeat: MonotonicTime

    /// An open gateway connection is worth keeping: a child that has one is idle only after this.
    private static let idleWithConnectionSeconds: Int64 = 3_600

    package init(loop: TransportLoop, link: ChildSideLink) {
        self.loop = loop
        self.link = link
        lastWork = MonotonicTime(nanoseconds: loop.now)
        nextBeat = lastWork
    }

    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

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
            unusableJobs[job] = nil
            if let order = jobs.removeValue(forKey: job) { desks[order.account]?.connector.retire(job: job) }
        case .drain: drain()
        }
    }

    /// What was not submitted goes back, for another child or another day; only what is in flight is waited for.
    private func drain() {
        isDraining = true
        for desk in desks.values { giveBackAll(desk, .stale) }
    }

    private func open(_ order: AccountOrder) {
        do {
            let connector = try ConnectorCatalogue.make(for: order, loop: loop, events: self)
            desks[order.account] = AccountDesk(account: order.account, connector: connector)
        } catch {
            unusableAccounts[order.account] = "\(error)"
        }
    }

    private func admit(_ job: JobOrder) {
        guard let desk = desks[job.account] else { return }
        do { try desk.connector.admit(job) } catch {
            // The content's fault, not the account's: other jobs go on.
            unusableJobs[job.job] = "\(error)"
        }
    }

    private func take(_ frame: GrantFrame) throws {
        lastWork = now
        let place = grants.add(frame, at: now)
        guard !isDraining, let job = jobs[frame.job] else { return giveBack(grant: place, .stale) }
        if let why = unusableJobs[frame.job] { return giveBack(grant: place, .unusable(why)) }
        guard let desk = desks[job.account] else {
            // Said again for each grant, before its outcomes, so that the master's gate closes for longer each time.
            let why = unusableAccounts[job.account] ?? "the account was not introduced"
            link.send(.accountNews(AccountNews(account: job.account, kind: .refused, text: why)))
            return giveBack(grant: place, .stale)
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
                giveBackAll(desk, .neverSent(verdict, reason: reason))
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
            if let grant = grants[GrantTable.place(of: tag)], isStale(grant, wall) {
                desk.again.removeLast()
                finish(tag, .stale)
                continue
            }
            let entry = frame.entry(at: GrantTable.offset(of: tag))
            guard hand(entry, frame, tag, to: desk) else { return left < Self.quantum }
            desk.again.removeLast()
            left -= 1
        }
        while left > 0, let place = desk.grants.first {
            guard let grant = grants[place], grant.unsubmitted > 0 else {
                desk.grants.removeFirst()
                continue
            }
            if isStale(grant, wall) {
                desk.grants.removeFirst()
                giveBack(grant: place, .stale)
                continue
            }
            let taken = takeFrom(grant, at: place, atMost: left, to: desk)
            left -= taken
            // At once: before this account's next turn the place may be another account's grant.
            if taken == grant.unsubmitted {
                desk.grants.removeFirst()
            } else if left > 0 {
                return left < Self.quantum
            }
        }
        return true
    }

    /// The next messages of one grant; fewer than asked for when the grant ends or the connector has no room.
    private func takeFrom(_ grant: GrantTable.Grant, at place: Int, atMost limit: Int, to desk: AccountDesk) -> Int {
        let frame = grant.frame
        var offset = grant.cursor
        var taken = 0
        while taken < min(limit, grant.unsubmitted) {
            let entry = frame.entry(at: offset)
            guard hand(entry, frame, GrantTable.tag(place: place, offset: offset), to: desk) else { break }
            offset = entry.next
            taken += 1
        }
        grants.advance(place, to: offset, by: taken)
        return taken
    }

    /// False when the connector has no room.
    @inline(__always)
    private func hand(_ entry: GrantEntry, _ frame: GrantFrame, _ tag: UInt64, to desk: AccountDesk) -> Bool {
        // The subscription has gone since the message was prepared.
        guard !entry.token.isEmpty else {
            finish(tag, .addressless)
            return true
        }
        switch desk.connector.submit(entry, of: frame, tag: tag) {
        case .noRoom: return false
        case .taken: break
        case .tooLarge(let bytes, let limit): finish(tag, .tooLarge(bytes: bytes, limit: limit))
        }
        return true
    }

    /// Too old to send: the validity of its delivery is over, or it waited here for longer than a child may keep it.
    private func isStale(_ grant: GrantTable.Grant, _ wall: WallTime) -> Bool {
        guard let job = jobs[grant.frame.job] else { return true }
        if job.expiresAt <= wall { return true }
        guard let welcome else { return false }
        return now > grant.arrived.advanced(bySeconds: Int64(welcome.maximumAgeSeconds))
    }

    // MARK: Outcomes

    private func finish(_ tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag) else { return }
        let entry = frame.entry(at: GrantTable.offset(of: tag))
        outcomes.append(outcome, message: entry.message, attempts: entry.attempts, grant: frame.grant)
        noteOutcome()
        close(tag)
    }

    @inline(__always)
    private func close(_ tag: UInt64) {
        if !tries.isEmpty { tries[tag] = nil }
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
    private func giveBackAll(_ desk: AccountDesk, _ outcome: Outcome) {
        for tag in desk.again { finish(tag, outcome) }
        desk.again = []
        for place in desk.grants { giveBack(grant: place, outcome) }
        desk.grants = []
        turns.leave(desk.account)
    }

    /// What waits for room must not wait for ever: a gateway may allow no stream for long.
    private func giveBackStale(_ desk: AccountDesk, _ wall: WallTime) {
        func isOver(_ place: Int) -> Bool { grants[place].map { isStale($0, wall) } ?? true }
        for place in desk.grants where isOver(place) { giveBack(grant: place, .stale) }
        desk.grants.removeAll { grants[$0] == nil || isOver($0) }
        for tag in desk.again where isOver(GrantTable.place(of: tag)) { finish(tag, .stale) }
        desk.again.removeAll { grants.frame(of: $0) == nil || isOver(GrantTable.place(of: $0)) }
    }

    /// Ends every message of a grant that was not submitted in the same way.
    private func giveBack(grant place: Int, _ outcome: Outcome) {
        guard let grant = grants[place] else { return }
        var offset = grant.cursor
        for _ in 0..<grant.unsubmitted {
            let next = grant.frame.entry(at: offset).next
            grants.advance(place, to: next, by: 1)
            finish(GrantTable.tag(place: place, offset: offset), outcome)
            offset = next
        }
    }

    // MARK: Life

    private func beat() {
        nextBeat = now.advanced(bySeconds: ChildLink.heartbeatSeconds)
        let wall = WallClock.now()
        for desk in desks.values { giveBackStale(desk, wall) }
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
    package func accepted(tag: UInt64) {
        guard let frame = grants.frame(of: tag) else { return }
        outcomes.accepted(frame.message(at: GrantTable.offset(of: tag)), grant: frame.grant)
        noteOutcome()
        close(tag)
    }

    package func ended(tag: UInt64, _ outcome: Outcome) {
        guard let frame = grants.frame(of: tag), let job = jobs[frame.job], let desk = desks[job.account] else {
            return finish(tag, outcome)
        }
        switch outcome {
        case .rejected(let verdict, let reason) where verdict.schedule == .now,
            .neverSent(let verdict, let reason) where verdict.schedule == .now:
            again(tag, verdict, reason, at: desk)
        default:
            finish(tag, outcome)
        }
    }

    /// The gateway did not look at the message: at once on another connection, unless that has been tried enough.
    private func again(_ tag: UInt64, _ verdict: Verdict, _ reason: String, at desk: AccountDesk) {
        guard desk.givingBack == nil, !isDraining else { return finish(tag, .neverSent(verdict, reason: reason)) }
        let count = (tries[tag] ?? 0) + 1
        if count < (verdict.maximumTries > 0 ? Int(verdict.maximumTries) : Self.mostTries) {
            tries[tag] = count
            desk.again.append(tag)
            turns.join(desk.account)
        } else if verdict.scope == .account {
            // A renewed credential did not help: the account stops.
            var held = verdict
            held.schedule = .hold
            refused(desk.account, held, reason: reason)
            finish(tag, .neverSent(held, reason: reason))
        } else {
            finish(tag, .rejected(verdict, reason: reason))
        }
    }

    package func unreachable(_ account: UInt32, _ verdict: Verdict, reason: String) {
        tell(account, .unreachable, verdict, reason)
    }

    package func refused(_ account: UInt32, _ verdict: Verdict, reason: String) {
        tell(account, .refused, verdict, reason)
    }

    /// News first, messages after: the master's gate is closed before they wait again.
    private func tell(_ account: UInt32, _ kind: AccountNews.Kind, _ verdict: Verdict, _ reason: String) {
        guard let desk = desks[account], desk.givingBack == nil else { return }
        desk.givingBack = (verdict, reason)
        turns.join(account)
        link.send(.accountNews(AccountNews(account: account, kind: kind, text: reason)))
    }

    package func connected(_ account: UInt32, to text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .connected, text: text)))
    }

    package func disconnected(_ account: UInt32, because text: String) {
        link.send(.accountNews(AccountNews(account: account, kind: .closed, text: text)))
    }
}

/// Endings that are the child's own.
extension Outcome {
    /// As if never granted: its validity, its job, its time in the child or the child's own time is over.
    fileprivate static var stale: Outcome {
        .neverSent(.ours(.account, .undefined), reason: "(not submitted)")
    }

    /// The content cannot be compiled for the app.
    fileprivate static func unusable(_ why: String) -> Outcome {
        .rejected(.ours(.message, .refused), reason: "(\(why))")
    }

    fileprivate static var addressless: Outcome {
        .rejected(.ours(.message, .addressNotSpecified), reason: "(the subscription has gone)")
    }
}

extension Verdict {
    fileprivate static func ours(_ scope: Scope, _ reason: FailureReason) -> Verdict {
        Verdict(
            scope: scope, schedule: .none, countsAttempt: false, failureType: .undefined, failureReason: reason,
            quarantine: .no)
    }
}
