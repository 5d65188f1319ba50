internal import Glibc
package import Logging
internal import PushModel
package import PushStore
internal import PushSystem
internal import Synchronization

/// This host, as one of the hosts that share a store. It waits until it may send, and then reports to the
/// store each second, on a separate thread and a separate connection. One of the hosts leads, and each host
/// checks whether it should lead. This class carries out the decisions of ``HostLease``, ``HostWatch`` and
/// the store.
///
/// **Promises.** ``begin(_:)`` returns `true` only when this host has a place, this host or another one
/// leads, and all other hosts know about this host. A lease is reported to the loop only after it has been
/// renewed.
package final class HostCoordinator: Sendable {
    struct State {
        var lease: HostLease
        var watch: HostWatch
        var clock = HostClock()
        /// The claim on the store, which this host has while it leads.
        var claim: (any StoreClaim)?
        /// The moment until which this host's children may begin requests.
        var sendsUntil: MonotonicTime?
        var isOver = false
        /// Whether the loop was notified that this host leads.
        var hasReportedLead = false
        /// Other hosts that have not renewed their leases for a while.
        var late: [LateHost] = []
    }

    private let register: any HostRegister
    private let terms: HostOptions
    private let role: HostRole
    private let loop: Mailbox<LoopEvent>
    let logger: Logger
    let state: Mutex<State>
    private let announcements: Announcements
    private let isStopping = Atomic(false)
    private let thread = Mutex<DedicatedThread?>(nil)

    /// The maximum time for the renewal that is under way when the service ends.
    private static let lastRenewalMilliseconds: Int64 = 2_000
    /// The interval at which this host looks for an earlier process of the same host.
    private static let entryMilliseconds: Int32 = 100

    package init(
        _ register: any HostRegister, _ terms: HostOptions, _ role: HostRole,
        loop: Mailbox<LoopEvent>, announcing announcements: Announcements, _ logger: Logger
    ) {
        self.announcements = announcements
        announcements.attach { [weak register] in register?.wake() }
        (self.register, self.terms, self.role) = (register, terms, role)
        (self.loop, self.logger) = (loop, logger)
        state = Mutex(
            State(
                lease: HostLease(host: register.host, times: terms.times), watch: HostWatch(terms.times)))
    }

    /// The moment, measured by ``Clocks/boot()``, until which requests may begin.
    var sendsUntil: MonotonicTime? { state.withLock(\.sendsUntil) }

    func leases() -> any PartLeases { register.leases() }

    // MARK: Beginning

    /// Functions that ``begin(_:)`` calls while it waits.
    package struct StartControl {
        /// Waits for at most the given number of milliseconds.
        /// - Returns: Whether this host was ordered to end.
        var shouldEnd: (Int32) -> Bool
        /// Receives a short description of what this host is waiting for. Called when the description
        /// changes.
        var waiting: (String) -> Void

        package init(shouldEnd: @escaping (Int32) -> Bool, waiting: @escaping (String) -> Void) {
            (self.shouldEnd, self.waiting) = (shouldEnd, waiting)
        }
    }

    /// Waits until this host may send.
    /// - Returns: `false` if this host was ordered to end.
    /// - Throws: An error that waiting does not remedy: another process has this host's id, or a later
    ///   release has the store.
    package func begin(_ control: StartControl) throws -> Bool {
        var hasEntered = false
        var failure: String?
        var told: String?
        while true {
            do throws(StoreError) {
                if !hasEntered {
                    guard try enter(control) else { return false }
                    hasEntered = true
                }
                let turn = try turn(HostReport(goodForMilliseconds: terms.times.takeOverMilliseconds))
                if let text = failure { logger.notice("the store is available again, after: \(text)") }
                failure = nil
                switch turn {
                case .lost:
                    hasEntered = false
                    resetState()
                case .said(let isLed, let hasRoom, let isDrained, let rests):
                    if isDrained || rests { try giveUpLead() }
                    if isLed, hasRoom, !isDrained, !rests {
                        state.withLock { state in
                            let shares = state.watch.shares
                            role.note(shares: shares)
                            role.note(others: shares - 1)
                        }
                        return true
                    }
                    let what = Self.awaited(register.host, isLed: isLed, isDrained: isDrained, rests: rests)
                    if told != what {
                        told = what
                        logger.notice("waiting for \(what)")
                        control.waiting(what)
                    }
                }
            } catch {
                guard error.isTemporary else { throw error }
                noteLostConnection()
                if failure == nil { logger.warning("\(error); trying again every second") }
                failure = "\(error)"
            }
            let next = Clocks.boot().advanced(byMilliseconds: terms.times.renewalMilliseconds)
            repeat {
                let left = max(next.milliseconds(since: Clocks.boot()), 0)
                if control.shouldEnd(Int32(clamping: left)) { return false }
            } while notifyOtherHosts() && Clocks.boot() < next
        }
    }

    /// Gives up the lead. A host that should not send must not lead, so that a host that sends can lead.
    private func giveUpLead() throws(StoreError) {
        guard case .serving = state.withLock(\.lease.role) else { return }
        try register.stepDown()
        resetState()
    }

    /// Resets the state after this host has lost its place or given up the lead. Afterwards this host has no
    /// claim.
    private func resetState() {
        role.follow()
        state.withLock { state in
            // This claim is released before another one is acquired, because its release would otherwise
            // release the new claim's lock.
            state.claim = nil
            state.hasReportedLead = false
            state.lease = HostLease(host: register.host, times: terms.times)
            state.watch = HostWatch(terms.times)
        }
    }

    /// - Returns: `false` if the host was ordered to end.
    private func enter(_ control: StartControl) throws(StoreError) -> Bool {
        var first: (word: Int64, at: MonotonicTime)?
        while true {
            let entry = try register.enter(name: terms.name, release: terms.release, replacing: nil)
            guard case .known(let seen, let isConnected) = entry else { return true }
            let now = Clocks.boot()
            let (word, since) = first ?? (seen.word, now)
            first = (word, since)
            // The other process still sends reports, so it is not an earlier process of this host: an earlier
            // process would hold the lock, and this process could not have started.
            guard word == seen.word else { throw StoreError(.sameHost(id: register.host), path: seen.name) }
            // A process that has only lost its connection soon reports again on a new connection, so the wait
            // can be short.
            let patience =
                isConnected ? terms.times.takeOverMilliseconds : 3 * terms.times.renewalMilliseconds
            if now.milliseconds(since: since) >= patience {
                let again = try register.enter(
                    name: terms.name, release: terms.release, replacing: seen.session)
                if again == .entered { return true }
            }
            if control.shouldEnd(Self.entryMilliseconds) { return false }
        }
    }

    // MARK: A turn

    private enum ReportResult {
        /// The place no longer belongs to this host.
        case lost
        /// - Parameters:
        ///   - isLed: Whether this host or another one leads.
        ///   - rests: Whether this host's clock is wrong and other hosts can do its work.
        case said(isLed: Bool, hasRoom: Bool, isDrained: Bool, rests: Bool)
    }

    /// Sends a report, looks at the other hosts, and carries out the consequences.
    private func turn(_ word: HostReport) throws(StoreError) -> ReportResult {
        let sent = Clocks.boot()
        let role = state.withLock(\.lease.role)
        let news: HostUpdate
        if case .serving(let generation) = role {
            news = try register.renew(
                generation: generation, forMilliseconds: terms.times.takeOverMilliseconds, saying: word)
        } else {
            news = try register.look(saying: word)
        }
        guard news.hasPlace else { return .lost }
        let now = Clocks.boot()
        let (silent, decision) = state.withLock { state in
            extend(&state, sentAt: sent)
            let silent = state.watch.looked(at: news.others, sentAt: sent, now: now)
            return (silent, state.lease.looked(at: news.leader, sentAt: sent, now: now))
        }
        self.role.note(others: news.others.count)
        self.role.note(renewed: sent)
        let late = noteLateHosts(at: now)
        let rests = compareClocks(news, sentAt: sent, now: now, isSending: word.sends)
        if word.sends {
            // A failure below does not affect this renewal.
            if let end = sendsUntil { loop.send(.leaseRenewed(until: end)) }
            loop.send(
                .hosts(
                    live: news.others.count + 1, asOf: news.storeMilliseconds,
                    clockAheadSeconds: state.withLock(\.clock.differenceSeconds), late: late))
            if news.isDrained { loop.send(.drained(why: "an operator ordered this host to stop sending")) }
            if rests {
                loop.send(.drained(why: "its clock is wrong, and other hosts can do its work"))
            }
        }
        // A leading host looks after the other hosts until it leaves.
        try maintainHosts(
            silent, news.isDrained || mayNotLead(alongside: news.others) ? .wait : decision,
            isSending: word.sends)
        return state.withLock { state in
            var isLed = news.otherLeader != nil
            if case .serving = state.lease.role { isLed = true }
            return .said(
                isLed: isLed, hasRoom: state.watch.hasRoom, isDrained: news.isDrained, rests: rests)
        }
    }

    /// Takes over the lead if that was decided. If this host leads, it also ends silent hosts and frees
    /// parts.
    /// - Throws: An error only if this host has not begun sending. A host that is sending continues, and
    ///   tries again in the next turn.
    private func maintainHosts(
        _ silent: [SeenHost], _ decision: HostLease.Decision, isSending: Bool
    ) throws(StoreError) {
        do throws(StoreError) {
            if case .takeOver(let seen) = decision { try takeOver(from: seen) }
            if case .serving = state.withLock(\.lease.role) { try look(after: silent) }
        } catch {
            guard isSending else { throw error }
            noteLostConnection()
            logger.warning("cannot check the other hosts: \(error); trying again every second")
        }
        guard isSending, role.leads else { return }
        let isNew = state.withLock { state in
            defer { state.hasReportedLead = true }
            return !state.hasReportedLead
        }
        if isNew { loop.send(.leads) }
    }

    private func extend(_ state: inout State, sentAt: MonotonicTime) {
        state.lease.renewed(sentAt: sentAt)
        let end = sentAt.advanced(byMilliseconds: terms.times.sendingMilliseconds)
        state.sendsUntil = max(state.sendsUntil ?? end, end)
    }

    private func takeOver(from seen: SeenHost?) throws(StoreError) {
        let sent = Clocks.boot()
        let taken = try register.takeOver(from: seen, afterMilliseconds: terms.times.takeOverMilliseconds)
        guard let taken else { return }
        state.withLock { state in
            state.lease.tookOver(generation: taken.generation, sentAt: sent)
            state.claim = taken.claim
        }
        if let seen, seen.host != register.host {
            let name = seen.name.printable(atMost: 200)
            logger.warning("\(Self.takeOverLine(name, taken.generation))")
        }
        role.lead()
    }

    private func look(after silent: [SeenHost]) throws(StoreError) {
        for host in try register.end(silent, afterMilliseconds: terms.times.takeOverMilliseconds) {
            let name = host.name.printable(atMost: 200)
            logger.warning("\(Self.silenceLine(name))")
        }
        try register.freeParts()
    }

    private func noteLostConnection() {
        state.withLock { state in
            state.lease.lostConnection()
            state.watch.lostConnection()
        }
    }

    // MARK: Sending

    /// Starts reporting to the store every second.
    package func startRenewing() throws(MasterError) {
        let started = try DedicatedThread(named: "host lease") { [self] in renew() }
        thread.withLock { $0 = started }
    }

    private func renew() {
        let times = terms.times
        var hasComplained = false
        while !isStopping.load(ordering: .acquiring) {
            do throws(StoreError) {
                let figures = role.figures
                let word = HostReport(
                    sends: true, shares: figures.shares, obeyedMilliseconds: figures.obeyedMilliseconds,
                    unrecorded: figures.unrecorded, answersPerSecond: figures.answersPerSecond,
                    goodForMilliseconds: times.takeOverMilliseconds)
                if case .lost = try turn(word) {
                    state.withLock { state in
                        state.isOver = true
                        state.lease.end()
                    }
                    return loop.send(.leaseLost)
                }
                if hasComplained { logger.notice("the lease is being renewed again") }
                hasComplained = false
            } catch {
                if case .newerVersion = error.cause { loop.send(.drained(why: "\(error)")) }
                noteLostConnection()
                if !hasComplained {
                    let seconds = times.sendingMilliseconds / 1_000
                    logger.warning("\(Self.renewalLine(error, seconds))")
                }
                hasComplained = true
            }
            waitForTurn()
        }
    }

    // MARK: Announcements

    /// The maximum time from another host's announcement to this host's next report. With each report, this
    /// host also checks for pauses and stops.
    private static let millisecondsToWord: Int64 = 100
    /// The pause between two announcements by this host. It limits their number, because each delivery that a
    /// client submits may cause one.
    private static let microsecondsBetweenAnnouncements: UInt32 = 20_000

    private func waitForTurn() {
        let begin = Clocks.boot()
        var end = begin.advanced(byMilliseconds: terms.times.renewalMilliseconds)
        while !isStopping.load(ordering: .acquiring) {
            let left = end.milliseconds(since: Clocks.boot())
            guard left > 0 else { return }
            if register.waitForAnnouncement(atMostMilliseconds: Int32(clamping: left)) {
                loop.send(.wakeUp)
                end = min(end, begin.advanced(byMilliseconds: Self.millisecondsToWord))
            }
            notifyOtherHosts()
        }
    }

    /// Notifies the other hosts of changes. If the notification fails, the other hosts find the changes by
    /// polling.
    /// - Returns: Whether there was anything to announce.
    @discardableResult
    private func notifyOtherHosts() -> Bool {
        guard announcements.take() else { return false }
        _ = try? register.announce()
        usleep(Self.microsecondsBetweenAnnouncements)
        return true
    }

    /// Ends the renewals.
    /// - Parameter saysGoodbye: Whether this host has nothing under way and its children have ended, so that
    ///   other hosts may take its parts and its place immediately. If `false`, the other hosts wait for the
    ///   take-over time.
    package func stop(saysGoodbye: Bool) {
        isStopping.store(true, ordering: .releasing)
        register.wake()
        let last = Clocks.monotonic().advanced(byMilliseconds: Self.lastRenewalMilliseconds)
        let hasEnded = thread.withLock(\.self)?.join(until: last) ?? true
        let hadPlace = state.withLock { state in
            defer {
                state.lease.end()
                state.isOver = true
                state.sendsUntil = nil
            }
            return !state.isOver
        }
        guard saysGoodbye, hasEnded, hadPlace else { return }
        do { try register.leave() } catch {
            logger.warning("\(Self.farewellLine(error, terms.times.takeOverMilliseconds / 1_000))")
        }
    }
}

extension StoreError {
    /// Whether the error may go away with time.
    fileprivate var isTemporary: Bool { remedy == .wait || remedy == .tryAgain }
}
