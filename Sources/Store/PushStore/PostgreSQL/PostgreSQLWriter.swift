internal import Glibc

/// The writer of a store on PostgreSQL. It uses one connection, for one thread at a time.
///
/// **One master.** If this process has the claim on the store, its connection holds the master's lock, and
/// writes nothing without it. The lock is lost with the connection, and is taken again with the next one. The
/// server process of the lost connection may survive for a while and keep its locks, so that server process
/// is ended first.
/// **Several hosts.** A host that takes over first ends the connections of the previous host, then takes the
/// lock, and then increases the generation. A new connection checks, once it has the lock, whether its
/// generation is still the current one. This ensures that nothing is written under an earlier generation,
/// without extra cost for transactions.
/// **The fence:** all mutable state changes under `lock`, which one thread may take several times.
final class PostgreSQLWriter: EngineConnection, @unchecked Sendable {
    private let lock = RecursiveLock()
    private let place: String
    private let channel: PostgreSQLChannel
    private let identity: IdentityWatch
    private let term: HostTerm?
    private var largest = 0
    private var isClaimed = false
    /// Whether another master has the store.
    private var isTaken = false
    /// The generation under which this process serves, if several hosts share the store.
    private var generation: Int64?

    /// Connects, so that a problem becomes visible immediately.
    init(
        _ server: PostgreSQLServer, _ timeouts: PostgreSQLServer.Timeouts, application: String,
        _ identity: IdentityWatch, term: HostTerm? = nil
    ) throws {
        self.term = term
        place = server.place
        self.identity = identity
        channel = PostgreSQLChannel(server, timeouts, application: application, identity, term: term)
        _ = try connected()
    }

    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try lock.hold {
            if let link = channel.linkInTransaction { return try body(PostgreSQLSession(link)) }
            return try transaction(.read, body)
        }
    }

    /// Reads under the write lock, which a transaction holds until the end of its commit. A commit that was
    /// sent on a lost connection and is still in progress is therefore awaited.
    func readSettled<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try write(body)
    }

    func write<Value>(settles: Bool = true, _ body: (any Session) throws -> Value) throws -> Value {
        try lock.hold {
            guard let link = channel.linkInTransaction else { return try transaction(.write, body) }
            let session = PostgreSQLSession(link)
            let value = try body(session)
            if settles { try session.settle() }
            return value
        }
    }

    /// The transaction may be idle for as long as its caller is busy elsewhere.
    func hold<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try write { session in
            try session.execute(sql: "SET LOCAL idle_in_transaction_session_timeout = 0")
            return try body(session)
        }
    }

    func group(
        _ body: () throws(StoreError) -> Void, note: (any Session) throws -> WrittenGroup
    ) throws(TransactionFailure) {
        var isCommitting = false
        var group: WrittenGroup?
        do {
            try lock.hold {
                try transaction(.write) { session in
                    let before = session.totalChanges
                    try body()
                    guard session.totalChanges > before || session.hasQueued else { return }
                    group = try note(session)
                    isCommitting = true
                }
            }
            if let group { identity.noteCommitted(group) }
        } catch {
            // If the error is an answer from the server, the group was not committed.
            var isUnknown = false
            if case .lost? = error as? PostgreSQLError { isUnknown = isCommitting }
            throw TransactionFailure(storeError(error, during: "write"), mayBeCommitted: isUnknown)
        }
    }

    private func transaction<Value>(
        _ kind: PostgreSQLLink.Kind, _ body: (PostgreSQLSession) throws -> Value
    ) throws -> Value {
        do {
            let link = try connected()
            let before = link.totalChanges
            let value = try link.transaction(kind) { try body(PostgreSQLSession(link)) }
            largest = max(largest, link.totalChanges - before)
            return value
        } catch {
            channel.leave(after: error)
            throw error
        }
    }

    func storeError(_ error: any Error, during what: String) -> StoreError {
        StoreError(postgreSQL: error, during: what, place: place)
    }

    var largestWrite: Int { lock.hold { largest } }
    var journeys: Int { lock.hold { channel.journeys } }

    // MARK: One master

    /// - Returns: `false` if another process serves the store.
    func claim() throws -> Bool {
        try lock.hold {
            let link = try connected()
            isClaimed = try link.tryLock(AdvisoryLock.master)
            // A free lock is not sufficient: a leading host that has lost its connection has no lock, but
            // still sends.
            if isClaimed, try areHostsSending(link) { releaseClaim() }
            return isClaimed
        }
    }

    /// Reports whether any host may be sending. A store that has not been created yet, or that belongs to an
    /// earlier release, has no table of hosts.
    private func areHostsSending(_ link: PostgreSQLLink) throws -> Bool {
        let db = PostgreSQLSession(link)
        guard try db.value(Bool.self, sql: PostgreSQLSchema.hasHosts) == true else { return false }
        return try db.value(Bool.self, sql: "SELECT \(PostgreSQLHosts.areSending)") == true
    }

    /// Takes the claim from another host, or takes a free claim.
    /// - Parameter body: Runs in a write transaction, with the lock. Increases the generation; returns `nil`
    ///   to abandon the take-over.
    /// - Returns: The new generation; `nil` if `body` abandoned the take-over, if another process keeps the
    ///   lock, or if another process writes for a long time. If it is `nil`, the caller renews its own lease
    ///   and tries again.
    func takeOver(_ body: (any Session) throws -> Int64?) throws -> Int64? {
        try lock.hold(withinSeconds: Self.patienceWithWritersSeconds) {
            let link = try connected()
            let end = ContinuousClock.now + Self.patienceWithLostConnections
            // If this process already has the lock, it must not take it again, because it would release it
            // only once.
            while try !isClaimed && !link.tryLock(AdvisoryLock.master) {
                guard ContinuousClock.now < end else { return nil }
                usleep(20_000)
            }
            isClaimed = true
            do {
                if let new = try transaction(.promptWrite, body) {
                    generation = new
                    return new
                }
            } catch PostgreSQLError.answer(state: PostgreSQLError.lockNotAvailable) {
                releaseClaim()
                return nil
            } catch {
                releaseClaim()
                throw error
            }
            releaseClaim()
            return nil
        }
    }

    /// Lends the connection to a caller that cannot create its own because the server has no free
    /// connections.
    /// - Returns: `nil` if there is no connection or it has been busy for a while.
    func lend<Value>(
        _ kind: PostgreSQLLink.Kind, _ body: (PostgreSQLSession) throws -> Value
    ) throws -> Value? {
        try lock.hold(withinSeconds: Self.patienceWithWritersSeconds) {
            guard let link = channel.present, !link.isInTransaction else { return nil }
            return try link.transaction(kind) { try body(PostgreSQLSession(link)) }
        }
    }

    /// How long to wait for a server process to end after requesting its end.
    private static let patienceWithLostConnections = Duration.seconds(2)
    private static let patienceWithWritersSeconds = 2

    func releaseClaim() {
        lock.hold {
            guard isClaimed else { return }
            isClaimed = false
            generation = nil
            guard let link = try? channel.connected() else { return }
            _ = try? PostgreSQLSession(link).row(sql: "SELECT pg_advisory_unlock(\(AdvisoryLock.master))")
        }
    }

    /// Whether another master has had the store since this process claimed it. Does not wait for a write in
    /// progress.
    var wasTaken: Bool {
        guard lock.tryTake() else { return false }
        defer { lock.giveBack() }
        return isTaken
    }

    /// Records that this host has a place in the list of hosts, with its own number. An earlier take-over
    /// from this host is no longer relevant.
    func entered() { lock.hold { isTaken = false } }

    /// If the connection is lost, creates another connection and takes the claim again immediately instead of
    /// waiting for the next write.
    func stayConnected() {
        lock.hold { if channel.linkInTransaction == nil, isClaimed { _ = try? connected() } }
    }

    private func connected() throws -> PostgreSQLLink {
        try channel.connected { link in
            if let lost = channel.lastBackend { try link.end(backend: lost, of: channel.application) }
            guard isClaimed else { return try checkPlace(link) }
            if try link.tryLock(AdvisoryLock.master) {
                if try leads(link) { return }
                isTaken = true
                throw PostgreSQLError.unreachable(
                    why: "another host has taken over; this host starts again as a standby")
            }
            // A host that is trying to take over may hold the lock for a moment.
            isTaken =
                try link.isLocked(AdvisoryLock.masterNumber, byOtherThan: channel.application)
                && (generation == nil || !leads(link))
            let holder = isTaken ? "another master" : "a lost connection that still exists"
            throw PostgreSQLError.unreachable(why: "\(holder) holds the master's lock")
        }
    }

    /// For a host that does not lead: checks that it has not been declared dead.
    private func checkPlace(_ link: PostgreSQLLink) throws {
        guard let number = term?.now else { return }
        let hasPlace = try PostgreSQLSession(link).value(
            Bool.self,
            sql: "SELECT EXISTS (SELECT 1 FROM host WHERE term = ?1 AND \(PostgreSQLHosts.isLive))",
            arguments: [number])
        guard hasPlace != true else { return }
        isTaken = true
        throw PostgreSQLError.unreachable(
            why: "the other hosts have taken over from this host, which starts again")
    }

    /// Reports whether this process's generation is the current one. Always `true` if hosts have no
    /// generations.
    private func leads(_ link: PostgreSQLLink) throws -> Bool {
        guard let generation else { return true }
        let present = try PostgreSQLSession(link).value(Int64.self, sql: PostgreSQLHosts.presentGeneration)
        return present == generation
    }
}

extension PostgreSQLLink {
    func tryLock(_ lock: String) throws -> Bool {
        try PostgreSQLSession(self).value(Bool.self, sql: "SELECT pg_try_advisory_lock(\(lock))") ?? false
    }

    /// Reports whether another process holds the lock in a session with a different name. If `application` is
    /// `nil`, any name counts.
    func isLocked(_ number: Int, byOtherThan application: String?) throws -> Bool {
        try PostgreSQLSession(self).value(
            Bool.self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = \(AdvisoryLock.store)
                        AND l.objid = \(number) AND a.datname = current_database() AND a.application_name <>
                        ?1)
                """,
            arguments: [application ?? ""]) ?? false
    }

    /// Ends the server processes of all connections with this name.
    /// - Returns: The number of connections.
    @discardableResult
    func endConnections(of application: String) throws -> Int {
        try PostgreSQLSession(self).rows(
            sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?1",
            arguments: [application]
        ).count
    }

    /// Ends the server process of an earlier connection of this process, if it is still alive.
    fileprivate func end(backend: Int, of application: String) throws {
        _ = try PostgreSQLSession(self).row(
            sql: """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ?1 AND application_name = \
                ?2
                """,
            arguments: [backend, application])
    }
}

/// A recursive lock. The body may call methods of the connection on which it runs.
@safe
private final class RecursiveLock {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&attributes)
        unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        unsafe pthread_mutex_init(mutex, &attributes)
        unsafe pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func hold<Value>(_ body: () throws -> Value) rethrows -> Value {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// - Returns: `nil` if another thread held the lock for the whole time.
    func hold<Value>(withinSeconds timeouts: Int, _ body: () throws -> Value?) rethrows -> Value? {
        // Only the wall clock is available for this wait. If the clock is changed, the wait is too long once,
        // or does not take place.
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += timeouts
        guard unsafe pthread_mutex_timedlock(mutex, &end) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    func tryTake() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }
    func giveBack() { unsafe pthread_mutex_unlock(mutex) }
}
