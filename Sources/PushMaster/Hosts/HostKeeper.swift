internal import Dispatch
internal import Logging
internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// This host among those that share a store: it stands by until it serves, then renews its lease on a thread
/// and a connection of their own. It obeys ``HostLease`` and the store.
///
/// **Promises.** ``standBy(_:)`` returns a claim only when no other host's children may begin a request. What
/// the loop is told of the lease was renewed by then.
final class HostKeeper: Sendable {
    private let register: any HostRegister
    private let terms: HostTerms
    private let loop: Mailbox<LoopEvent>
    private let logger: Logger
    private let lease: Mutex<HostLease>
    private let isStopping = DispatchSemaphore(value: 0)
    private let thread = Mutex<DedicatedThread?>(nil)

    /// How long the renewal that is under way may take when the service ends.
    private static let lastRenewalMilliseconds: Int64 = 2_000
    /// How often an earlier process of this host is looked for.
    private static let entryMilliseconds: Int32 = 100

    init(_ register: any HostRegister, _ terms: HostTerms, loop: Mailbox<LoopEvent>, _ logger: Logger) {
        (self.register, self.terms, self.loop, self.logger) = (register, terms, loop, logger)
        lease = Mutex(HostLease(host: register.host, times: terms.times))
    }

    /// Until then requests may begin, by ``Clocks/boot()``.
    var sendsUntil: MonotonicTime? { lease.withLock(\.sendsUntil) }

    // MARK: Standing by

    /// What it needs of whoever waits with it.
    struct Company {
        /// Waits so many milliseconds at most. - Returns: whether it is told to end.
        var isToldToEnd: (Int32) -> Bool
        /// In a few words, when that changes.
        var waiting: (String) -> Void
    }

    /// Waits until this host serves.
    /// - Returns: nil where it was told to end.
    /// - Throws: where waiting will not help: another process has this id, a later release the store.
    func standBy(_ company: Company) throws -> (any StoreClaim)? {
        guard try enter(company) else { return nil }
        var told: String?
        var trouble: String?
        while true {
            do throws(StoreError) {
                let sent = Clocks.boot()
                let holder = try register.look()
                if let text = trouble { logger.notice("the store answers again, after: \(text)") }
                trouble = nil
                let decision = lease.withLock { $0.looked(at: holder, sentAt: sent, now: Clocks.boot()) }
                if case .takeOver(let seen) = decision, let claim = try takeOver(from: seen) { return claim }
                if let holder, holder.host != register.host, told != holder.session {
                    told = holder.session
                    let name = holder.name.printable(atMost: 200)
                    logger.notice(
                        "standing by: host \(name) serves this store (generation \(holder.generation))")
                    company.waiting("host \(name), which serves this store, to end or to fall silent")
                }
            } catch {
                guard error.isTemporary else { throw error }
                lease.withLock { $0.lostConnection() }
                if trouble == nil { logger.warning("\(error); standing by, and trying again") }
                trouble = "\(error)"
            }
            if company.isToldToEnd(Int32(clamping: terms.times.renewalMilliseconds)) { return nil }
        }
    }

    private func takeOver(from seen: SeenHost?) throws(StoreError) -> (any StoreClaim)? {
        let sent = Clocks.boot()
        let taken = try register.takeOver(from: seen, afterMilliseconds: terms.times.takeOverMilliseconds)
        guard let taken else { return nil }
        lease.withLock { $0.tookOver(generation: taken.generation, sentAt: sent) }
        if let seen, seen.host != register.host {
            let name = seen.name.printable(atMost: 200)
            logger.warning(
                "taking over from host \(name), which fell silent: generation \(taken.generation)")
        }
        return taken.claim
    }

    /// - Returns: false where it was told to end.
    private func enter(_ company: Company) throws -> Bool {
        var first: (word: Int64, at: MonotonicTime)?
        while true {
            let entry = try register.enter(name: terms.name, release: terms.release, replacing: nil)
            guard case .known(let seen, let isConnected) = entry else { return true }
            let now = Clocks.boot()
            let (word, since) = first ?? (seen.word, now)
            first = (word, since)
            // It speaks: it is no earlier process of this host, whose lock would be held.
            guard word == seen.word else { throw StoreError(.sameHost(id: register.host), path: seen.name) }
            if !isConnected || now.milliseconds(since: since) >= terms.times.takeOverMilliseconds {
                let again = try register.enter(
                    name: terms.name, release: terms.release, replacing: seen.session)
                if again == .entered { return true }
            }
            if company.isToldToEnd(Self.entryMilliseconds) { return false }
        }
    }

    // MARK: Serving

    /// Renews from now on.
    func startRenewing() throws(MasterError) {
        let started = try DedicatedThread(named: "host lease") { [self] in renew() }
        thread.withLock { $0 = started }
    }

    private func renew() {
        guard case .serving(let generation) = lease.withLock(\.standing) else { return }
        let times = terms.times
        var hasComplained = false
        repeat {
            let sent = Clocks.boot()
            do throws(StoreError) {
                guard try register.renew(generation: generation, forMilliseconds: times.takeOverMilliseconds)
                else {
                    lease.withLock { $0.end() }
                    return loop.send(.leaseLost)
                }
                let end = lease.withLock { lease in
                    lease.renewed(sentAt: sent)
                    return lease.sendsUntil
                }
                if let end { loop.send(.leaseRenewed(until: end)) }
                if hasComplained { logger.notice("the lease is renewed again") }
                hasComplained = false
            } catch {
                if !hasComplained {
                    let seconds = times.sendingMilliseconds / 1_000
                    let last = "no request begins \(seconds) s after the last renewal"
                    logger.warning("the lease cannot be renewed: \(error); \(last)")
                }
                hasComplained = true
            }
        } while isStopping.wait(timeout: .now() + .milliseconds(Int(times.renewalMilliseconds))) == .timedOut
    }

    /// Ends the renewals.
    /// - Parameter saysGoodbye: nothing of this host is under way, and its children have gone: another may
    ///   take over at once. Otherwise others wait.
    func stop(saysGoodbye: Bool) {
        isStopping.signal()
        let last = Clocks.monotonic().advanced(byMilliseconds: Self.lastRenewalMilliseconds)
        let hasEnded = thread.withLock(\.self)?.join(until: last) ?? true
        let wasServing = lease.withLock { lease in
            defer { lease.end() }
            return lease.standing != .over
        }
        guard saysGoodbye, hasEnded, wasServing else { return }
        do { try register.leave() } catch {
            logger.warning("\(error): other hosts learn of the end by waiting")
        }
    }
}

extension StoreError {
    /// It may pass while one waits.
    fileprivate var isTemporary: Bool { remedy == .wait || remedy == .tryAgain }
}
