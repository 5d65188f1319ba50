import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests a server that disappears, is full, slow or read-only. All work waits, nothing is lost, and no other
/// process writes while the master does.
@Suite(.onPostgreSQL) struct PostgreSQLFailureTests {
    /// Provides a server that the test may damage, and a store on this server.
    private func withCluster(_ story: (TemporaryCluster, PostgreSQLServer, Store, String) throws -> Void)
        throws
    {
        let cluster = try TemporaryCluster()
        let server = try cluster.makeDatabase()
        try TemporaryFolder.with { folder in
            try story(cluster, server, try open(server, folder), folder)
        }
    }

    private func open(_ server: PostgreSQLServer, _ folder: String) throws -> Store {
        try Store.open(.postgreSQL(server, instanceFolder: folder), busyTimeoutMilliseconds: 5_000)
    }

    private func hold(_ number: Int64, in store: Store) throws(StoreError) {
        try store.repair.hold(DeliveryID(rawValue: number), because: "a test", at: TemporaryStore.noon)
    }

    private func held(_ store: Store) throws -> [Int64] {
        try store.repair.held().map(\.delivery.rawValue).sorted()
    }

    @Test func `if the server restarts during a group, only that group is lost`() throws {
        try withCluster { cluster, _, store, _ in
            let engine = store.writeEngine(name: "test")
            try engine.transaction(group: 1) { () throws(StoreError) in try hold(1, in: store) }
            var failure: TransactionFailure?
            do throws(TransactionFailure) {
                try engine.transaction(group: 2) { () throws(StoreError) in
                    try hold(2, in: store)
                    #expect(throws: Never.self) { try cluster.restart() }
                }
            } catch { failure = error }
            #expect(failure?.error.remedy == .wait)
            // The store is read after the restart, through the connections that existed before.
            #expect(try engine.lastGroup() == 1)
            #expect(try held(store) == [1])
            try engine.transaction(group: 2) { () throws(StoreError) in try hold(2, in: store) }
            #expect(try engine.lastGroup() == 2 && held(store) == [1, 2])
        }
    }

    @Test
    func `a writer that stalls during a transaction blocks others only for seconds, and then starts again`()
        throws
    {
        try withCluster { cluster, server, store, folder in
            let engine = store.writeEngine(name: "test")
            var failure: TransactionFailure?
            do throws(TransactionFailure) {
                try engine.transaction(group: 1) { () throws(StoreError) in
                    try hold(1, in: store)
                    #expect(throws: Never.self) {
                        // The host behaves as if it were frozen: it sends no statement until another host has
                        // written.
                        let other = try open(server, folder + "/other")
                        try #require(eventually("another to write") { (try? hold(2, in: other)) != nil })
                    }
                    try hold(3, in: store)
                }
            } catch { failure = error }
            #expect(failure?.error.remedy == .wait)
            #expect(try held(store) == [2])
            try engine.transaction(group: 1) { () throws(StoreError) in try hold(1, in: store) }
            #expect(try held(store) == [1, 2])
        }
    }

    @Test func `a commit whose answer is lost is recognised by the number of its group`() throws {
        try withCluster { cluster, server, store, _ in
            let engine = store.writeEngine(name: "test")
            try engine.transaction(group: 1) { () throws(StoreError) in try hold(1, in: store) }
            // A commit that is on disk waits for a standby that does not exist, and its connection is cut
            // there.
            try cluster.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try cluster.run("SELECT pg_reload_conf()")
            let failure = Mutex<TransactionFailure?>(nil)
            let groups = Mutex<Int64>(1)
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                // The server's processes apply the setting one after the other, so some commits may still
                // succeed.
                while failure.withLock({ $0 == nil }) {
                    let group = groups.withLock { groups in
                        groups += 1
                        return groups
                    }
                    do throws(TransactionFailure) {
                        try engine.transaction(group: group) { () throws(StoreError) in
                            try hold(group, in: store)
                        }
                        usleep(10_000)
                    } catch { failure.withLock { $0 = error } }
                }
                ended.signal()
            }
            try #require(
                try eventually("the commit") {
                    try cluster.run("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'").count
                        == 1
                })
            try cluster.run("ALTER SYSTEM RESET synchronous_standby_names")
            try cluster.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            try cluster.run("SELECT pg_reload_conf()")
            #expect(ended.wait(timeout: .now() + Patience.seconds) == .success)
            #expect(failure.withLock { $0?.mayBeCommitted } == true)
            let last = groups.withLock { $0 }
            #expect(try engine.lastGroup() == last && held(store) == Array(1...last))
        }
    }

    @Test
    func `a database that is recreated under the same name is detected, and is neither read nor written`()
        throws
    {
        try withCluster { cluster, server, store, folder in
            let claim = try #require(try store.claim())
            try hold(1, in: store)
            try cluster.drop(server)
            try cluster.run("CREATE DATABASE \(server.database)")
            let new = try open(server, folder + "/other")
            store.stayConnected()
            #expect(store.change()?.kind == .replaced)
            #expect(cause { try hold(2, in: store) }?.isOfServer == true)
            #expect(cause { _ = try held(store) }?.isOfServer == true)
            #expect(try held(new) == [])
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a restored backup without a committed group is detected as another database`() throws {
        try withCluster { cluster, server, store, _ in
            let engine = store.writeEngine(name: "master")
            for number: Int64 in [1, 2] {
                try engine.transaction(group: number) { () throws(StoreError) in try hold(number, in: store) }
            }
            func cut() throws {
                try cluster.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(server.database)'"
                )
            }
            // A server that returns with all data counts as the same server.
            try cut()
            try #require(eventually("the next connection") { (try? engine.lastGroup()) == 2 })
            #expect(store.change() == nil)
            // Writes from another host since then are not evidence of that.
            try cluster.run(
                "UPDATE writer SET last_group = 1; INSERT INTO writer (name, last_group) VALUES ('other', 99)",
                in: server.database)
            try cut()
            try #require(
                eventually("the difference to be seen") {
                    _ = try? engine.lastGroup()
                    return store.change()?.kind == .replaced
                })
            #expect(cause { try hold(3, in: store) }?.isOfServer == true)
        }
    }

    @Test func `a claim that was lost with its connection is regained without a write`() throws {
        try withCluster { cluster, server, store, folder in
            let claim = try #require(try store.claim())
            let holders = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 2"
            let lost = try cluster.run(holders)
            try cluster.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(server.database)'")
            try #require(
                try eventually("the claim of another connection") {
                    store.stayConnected()
                    let found = try cluster.run(holders)
                    return found.count == 1 && found != lost
                })
            #expect(try open(server, folder + "/other").claim() == nil)
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `the store waits for a server that accepts no writes, and continues when it accepts writes`()
        throws
    {
        try withCluster { cluster, _, store, _ in
            try hold(1, in: store)
            try cluster.run("ALTER SYSTEM SET default_transaction_read_only = on")
            try cluster.run("SELECT pg_reload_conf()")
            try #require(eventually("the order to be read") { (try? hold(1, in: store)) == nil })
            #expect(cause { try hold(2, in: store) }?.isOfServer == true)
            #expect(StoreError(.serverReadOnly, path: "x").remedy == .wait)
            try cluster.run(
                "SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only")
            try cluster.run("SELECT pg_reload_conf()")
            try #require(eventually("writes") { (try? hold(2, in: store)) != nil })
            #expect(try held(store) == [1, 2])
        }
    }

    @Test func `writers wait for a full server, and their units are written later`() throws {
        try withCluster { cluster, server, store, _ in
            try cluster.run(
                """
                CREATE FUNCTION full_up() RETURNS TRIGGER LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER full_up BEFORE INSERT ON damaged_delivery EXECUTE FUNCTION full_up()
                """, in: server.database)
            #expect(cause { try hold(1, in: store) } == .diskFull)
            let told = Mutex<[String]>([])
            try withService(
                store,
                events: { event in
                    switch event {
                    case .failure: told.withLock { $0.append("failure") }
                    case .recovered: told.withLock { $0.append("recovered") }
                    default: told.withLock { $0.append("\(event)") }
                    }
                }
            ) { service in
                let done = DispatchSemaphore(value: 0)
                service.submit(.verdicts, rows: 1) { store throws(StoreError) in
                    try store.repair.hold(DeliveryID(rawValue: 1), because: "a test", at: TemporaryStore.noon)
                } completion: { _ in
                    done.signal()
                }
                try #require(eventually("the failure") { told.withLock { $0 == ["failure"] } })
                try cluster.run("DROP TRIGGER full_up ON damaged_delivery", in: server.database)
                #expect(done.wait(timeout: .now() + 60) == .success)
            }
            #expect(try held(store) == [1])
            #expect(told.withLock { $0 } == ["failure", "recovered"])
        }
    }

    @Test func `commits that take a second count as slow and not as failed`() throws {
        try withCluster { cluster, server, store, _ in
            try cluster.run(
                """
                CREATE FUNCTION slowly() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER slowly AFTER INSERT OR UPDATE ON writer DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION slowly()
                """, in: server.database)
            let told = Failures()
            let began = ContinuousClock.now
            try withService(store, events: { told.add("\($0)") }) { service in
                let group = DispatchGroup()
                for number in 1...200 {
                    group.enter()
                    service.submit(.verdicts, rows: 1) { store throws(StoreError) in
                        try store.repair.hold(
                            DeliveryID(rawValue: Int64(number)), because: "a test", at: TemporaryStore.noon)
                    } completion: { _ in
                        group.leave()
                    }
                }
                #expect(group.wait(timeout: .now() + 120) == .success)
            }
            #expect(try held(store) == Array(1...200))
            #expect(told.all == [] && ContinuousClock.now - began >= .seconds(1))
        }
    }

    @Test func `one master has the store, and has it again after a server restart`() throws {
        try withCluster { cluster, server, store, folder in
            let other = try open(server, folder + "/other")
            var claim = try store.claim()
            #expect(claim != nil)
            #expect(try other.claim() == nil)
            try cluster.restart()
            try #require(eventually("the first to come back") { (try? hold(1, in: store)) != nil })
            #expect(try other.claim() == nil && store.change() == nil)
            claim = nil
            #expect(try other.claim() != nil)
            withExtendedLifetime(claim) {}
        }
    }

    @Test
    func `a master whose lock was taken during a disconnection detects the loss and writes nothing more`()
        throws
    {
        try withCluster { cluster, server, store, folder in
            let claim = try store.claim()
            #expect(claim != nil)
            let other = try open(server, folder + "/other")
            try cluster.run(
                """
                SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                WHERE l.locktype = 'advisory'
                """)
            var theirs: (any StoreClaim)?
            try #require(
                try eventually("the lock") {
                    theirs = try other.claim()
                    return theirs != nil
                })
            // The host may notice the end of its connection only after the other host has received the lock.
            try #require(
                try eventually("it to see why") {
                    guard case .unreachable(let why) = cause(of: { try hold(1, in: store) }) else {
                        throw Wrote()
                    }
                    return why == "another master holds the master's lock"
                })
            #expect(store.change()?.role == .claim)
            #expect(try held(other) == [])
            withExtendedLifetime((claim, theirs)) {}
        }
    }

    private struct Wrote: Error {}

    private func withService(
        _ store: Store, events: @escaping @Sendable (WriteService.Event) -> Void,
        _ story: (WriteService) throws -> Void
    ) throws {
        let service = WriteService(
            store: store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
            events: events)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
        defer {
            service.end()
            #expect(ended.wait(timeout: .now() + 60) == .success)
        }
        try story(service)
    }
}

extension StoreError.Cause {
    fileprivate var isOfServer: Bool {
        switch self {
        case .serverReadOnly, .unreachable: true
        default: false
        }
    }
}
