internal import Glibc

/// Writes a store on PostgreSQL: one connection, for one thread at a time.
///
/// **One master.** Where this process has the claim on the store, its connection holds the master's lock, and
/// writes nothing without it. The lock is lost with the connection, and taken again with the next. The lost
/// one's process at the server may live on for a while and hold its locks, so it is ended first.
/// **Several hosts.** Whoever takes over ends the connections of the host before, then takes the lock, then
/// raises the generation; a connection that is made anew looks whether its generation is still the present one
/// when it has the lock. So nothing is written under an earlier generation, and no transaction costs more.
/// **The fence:** everything that changes here changes under `lock`, which one thread may take several times.
final class PostgreSQLWriter: EngineConnection, @unchecked Sendable {
    private let lock = RecursiveLock()
    private let place: String
    private let channel: PostgreSQLChannel
    private let identity: IdentityWatch
    private let term: HostTerm?
    private var largest = 0
    private var isClaimed = false
    /// Another master has the store.
    private var isTaken = false
    /// What this process serves by, where hosts take turns.
    private var generation: Int64?

    /// Connects, so that what is wrong shows at once.
    init(
        _ server: PostgreSQLServer, _ patience: PostgreSQLServer.Patience, application: String,
        _ identity: IdentityWatch, term: HostTerm? = nil
    ) throws {
        self.term = term
        place = server.place
        self.identity = identity
        channel = PostgreSQLChannel(server, patience, application: application, identity, term: term)
        _ = try connected()
    }

    func read<Value>(_ body: (any Session) throws -> Value) throws -> Value {
        try lock.hold {
            if let link = channel.linkInTransaction { return try body(PostgreSQLSession(link)) }
            return try transaction(.read, body)
        }
    }

    /// Under the write lock, which a transaction holds to the end of its commit: one that was sent by a
    /// connection that is lost, and is still on its way, is waited for.
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

    /// It may stand still for as long as its caller is busy elsewhere.
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
            // An answer says that it was not.
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

    /// - Returns: false where another process serves the store.
    func claim() throws -> Bool {
        try lock.hold {
            let link = try connected()
            isClaimed = try link.tryLock(AdvisoryLock.master)
            // Whoever leads has the lock; hosts that send may have lost theirs.
            if isClaimed, try areHostsSending(link) { releaseClaim() }
            return isClaimed
        }
    }

    /// A store that is not made yet, or of an earlier release, has no hosts.
    private func areHostsSending(_ link: PostgreSQLLink) throws -> Bool {
        let db = PostgreSQLSession(link)
        guard try db.value(Bool.self, sql: PostgreSQLSchema.hasHosts) == true else { return false }
        return try db.value(Bool.self, sql: "SELECT \(PostgreSQLHosts.areSending)") == true
    }

    /// Has the claim in the place of another host, or of none.
    /// - Parameter body: in a write transaction, with the lock: raises the generation; nil: it is not to be.
    /// - Returns: nil also where somebody writes for long: whoever asks has a lease of its own to renew meanwhile,
    ///   and asks again.
    func takeOver(_ body: (any Session) throws -> Int64?) throws -> Int64? {
        try lock.hold(withinSeconds: Self.patienceWithWritersSeconds) {
            let link = try connected()
            let end = ContinuousClock.now + Self.patienceWithLostConnections
            // Whoever has it already would have it twice, and give it back once.
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

    /// Lends the connection to whoever cannot make one of its own, because the server has no more to give.
    /// - Returns: nil: there is none, or it has been busy for a while.
    func lend<Value>(
        _ kind: PostgreSQLLink.Kind, _ body: (PostgreSQLSession) throws -> Value
    ) throws -> Value? {
        try lock.hold(withinSeconds: Self.patienceWithWritersSeconds) {
            guard let link = channel.present, !link.isInTransaction else { return nil }
            return try link.transaction(kind) { try body(PostgreSQLSession(link)) }
        }
    }

    /// A process of the server that was told to end does so within moments.
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

    /// Whether another master has had the store since it was claimed here. It does not wait for a write that
    /// is going on.
    var wasTaken: Bool {
        guard lock.tryTake() else { return false }
        defer { lock.giveBack() }
        return isTaken
    }

    /// This host has a place in the list, by a number of its own: what was taken from it before is forgotten.
    func entered() { lock.hold { isTaken = false } }

    /// Where it is lost, another connection is made at once, and the claim taken again: nobody need write for
    /// that.
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
                throw PostgreSQLError.unreachable(why: "another host has taken over")
            }
            // Whoever tries to take over has it for a moment.
            isTaken =
                try link.isLocked(AdvisoryLock.masterNumber, byOtherThan: channel.application)
                && (generation == nil || !leads(link))
            let holder = isTaken ? "another master" : "what is left of a lost connection"
            throw PostgreSQLError.unreachable(why: "\(holder) has the master's lock")
        }
    }

    /// Of a host that does not lead: whether it was taken for dead.
    private func checkPlace(_ link: PostgreSQLLink) throws {
        guard let number = term?.now else { return }
        let hasPlace = try PostgreSQLSession(link).value(
            Bool.self,
            sql: "SELECT EXISTS (SELECT 1 FROM host WHERE term = ?1 AND \(PostgreSQLHosts.isLive))",
            arguments: [number])
        guard hasPlace != true else { return }
        isTaken = true
        throw PostgreSQLError.unreachable(why: "this host was taken for dead")
    }

    /// Whether this process's generation is the present one, where hosts have any.
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

    /// Whether some other process holds it that a session of another name is of; nil: of any name.
    func isLocked(_ number: Int, byOtherThan application: String?) throws -> Bool {
        try PostgreSQLSession(self).value(
            Bool.self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = \(AdvisoryLock.store)
                        AND l.objid = \(number) AND a.datname = current_database() AND a.application_name <> ?1)
                """,
            arguments: [application ?? ""]) ?? false
    }

    /// Ends the server's processes of all connections of this name. - Returns: how many there were.
    @discardableResult
    func endConnections(of application: String) throws -> Int {
        try PostgreSQLSession(self).rows(
            sql: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?1",
            arguments: [application]
        ).count
    }

    /// Ends the server's process of a connection that this process had, if it lives.
    fileprivate func end(backend: Int, of application: String) throws {
        _ = try PostgreSQLSession(self).row(
            sql: """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ?1 AND application_name = ?2
                """,
            arguments: [backend, application])
    }
}

/// A lock that the thread which has it may take again: a body may use doors of the connection that it runs
/// on.
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

    /// - Returns: nil: somebody had it for so long.
    func hold<Value>(withinSeconds patience: Int, _ body: () throws -> Value?) rethrows -> Value? {
        // By the wall clock, which is what there is: one that is set makes this wait too long once, or not at all.
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += patience
        guard unsafe pthread_mutex_timedlock(mutex, &end) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    func tryTake() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }
    func giveBack() { unsafe pthread_mutex_unlock(mutex) }
}
