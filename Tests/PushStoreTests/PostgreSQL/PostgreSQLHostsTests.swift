import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Hosts that share a database: who is entered, who may take over, and that nobody else writes as the master.
@Suite(.onPostgreSQL) struct PostgreSQLHostsTests {
    /// A database, and stores of several hosts on it.
    private func withHosts(
        _ count: Int, _ story: (TemporaryCluster, PostgreSQLServer, [Store]) throws -> Void
    ) throws {
        let cluster = try #require(TemporaryCluster.shared)
        let server = try cluster.makeDatabase()
        defer { try? cluster.drop(server) }
        try TemporaryFolder.with { folder in
            let stores = try (0..<count).map { number in
                try open(server, "\(folder)/\(number)")
            }
            try story(cluster, server, stores)
        }
    }

    private func open(_ server: PostgreSQLServer, _ folder: String) throws -> Store {
        try Store.open(.postgreSQL(server, instanceFolder: folder), busyTimeoutMilliseconds: 5_000)
    }

    private func entered(_ store: Store, _ name: String) throws -> any HostRegister {
        let register = try #require(try store.hostRegister())
        #expect(try register.enter(name: name, release: "1", replacing: nil) == .entered)
        return register
    }

    private func hold(_ number: Int64, in store: Store) throws(StoreError) {
        try store.repair.hold(DeliveryID(rawValue: number), because: "a test", at: TemporaryStore.noon)
    }

    @Test func `whoever comes first serves, the other sees it and takes over after its goodbye`() throws {
        try withHosts(2) { _, _, stores in
            let (a, b) = (try entered(stores[0], "a"), try entered(stores[1], "b"))
            #expect(a.host != b.host)
            #expect(try a.look() == nil)
            var claim = try a.takeOver(from: nil, afterMilliseconds: 20_000)
            #expect(claim?.generation == 1)
            let seen = try #require(try b.look())
            #expect(seen.host == a.host && seen.name == "a" && seen.generation == 1)
            #expect(try a.renew(generation: 1, forMilliseconds: 20_000))
            #expect(try stores[1].hosts.all().map(\.state) == ["serving", "standby"])
            try a.leave()
            claim = nil
            #expect(try b.look() == nil)
            let next = try #require(try b.takeOver(from: nil, afterMilliseconds: 20_000))
            #expect(next.generation == 2)
            #expect(try !a.renew(generation: 1, forMilliseconds: 20_000))
            #expect(try stores[0].hosts.all().map(\.name) == ["b", "a"])
            withExtendedLifetime((claim, next)) {}
        }
    }

    @Test func `a host that speaks is not replaced, and one of another word neither`() throws {
        try withHosts(2) { _, _, stores in
            let (a, b) = (try entered(stores[0], "a"), try entered(stores[1], "b"))
            let claim = try #require(try a.takeOver(from: nil, afterMilliseconds: 20_000))
            let seen = try #require(try b.look())
            // By the server's clock it spoke a moment ago.
            #expect(try b.takeOver(from: seen, afterMilliseconds: 20_000) == nil)
            // Its connections were ended for that.
            try #require(
                eventually("the first to renew") {
                    (try? a.renew(generation: 1, forMilliseconds: 20_000)) == true
                })
            #expect(try b.takeOver(from: seen, afterMilliseconds: 0) == nil)
            #expect(try b.takeOver(from: nil, afterMilliseconds: 0) == nil)
            // It has the lock again with its next connection.
            try #require(eventually("the first to write") { (try? hold(1, in: stores[0])) != nil })
            #expect(stores[0].change() == nil)
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a host whose place was taken writes nothing more, though the lock is free again`() throws {
        try withHosts(2) { _, _, stores in
            let (a, b) = (try entered(stores[0], "a"), try entered(stores[1], "b"))
            let claim = try #require(try a.takeOver(from: nil, afterMilliseconds: 20_000))
            try hold(1, in: stores[0])
            let seen = try #require(try b.look())
            var next = try b.takeOver(from: seen, afterMilliseconds: 0)
            #expect(next?.generation == 2)
            try hold(2, in: stores[1])
            try #require(
                eventually("the first to be told") {
                    (try? a.renew(generation: 1, forMilliseconds: 20_000)) == false
                })
            // The lock alone would let it in.
            next = nil
            #expect(throws: StoreError.self) { try hold(3, in: stores[0]) }
            #expect(throws: StoreError.self) { try hold(3, in: stores[0]) }
            #expect(stores[0].change()?.role == .claim)
            #expect(try stores[1].repair.held().map(\.delivery.rawValue).sorted() == [1, 2])
            withExtendedLifetime((claim, next)) {}
        }
    }

    @Test func `a second process with the id of one that lives is told, and has its place when that is gone`()
        throws
    {
        try withHosts(1) { _, server, stores in
            let first = try entered(stores[0], "a")
            let folder = PrivateFolder.of(stores[0].instancePath)
            do {
                let copy = try open(server, folder)
                let second = try #require(try copy.hostRegister())
                #expect(second.host == first.host)
                guard
                    case .known(let seen, let isConnected) = try second.enter(
                        name: "b", release: "1", replacing: nil)
                else {
                    Issue.record("it was entered")
                    return
                }
                #expect(isConnected && seen.name == "a")
                #expect(try second.enter(name: "b", release: "1", replacing: seen.session) == .entered)
            }
            #expect(throws: StoreError.self) { try first.look() }
            #expect(throws: StoreError.self) { try first.takeOver(from: nil, afterMilliseconds: 0) }
        }
    }

    @Test func `a host stands by no longer when the tables are a later release's`() throws {
        try withHosts(1) { cluster, server, stores in
            let register = try entered(stores[0], "a")
            try cluster.run("UPDATE store SET version = 99", in: server.database)
            do {
                _ = try register.takeOver(from: nil, afterMilliseconds: 0)
                Issue.record("it took over")
            } catch {
                guard case .newerVersion? = (error as? StoreError)?.cause else { throw error }
            }
            try cluster.run(
                "UPDATE store SET version = \(StoreSchema.postgreSQL)", in: server.database)
            #expect(try register.takeOver(from: nil, afterMilliseconds: 0) != nil)
        }
    }

    @Test func `an instance file that is no id is refused`() throws {
        try withHosts(1) { _, _, stores in
            try "x y\n".write(toFile: stores[0].instancePath, atomically: false, encoding: .utf8)
            #expect(throws: StoreError.self) { try stores[0].hostRegister() }
        }
    }

    @Test func `a store in a file has no hosts`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            #expect(try store.hostRegister() == nil)
            #expect(try store.hosts.all() == [])
        }
    }
}

private enum PrivateFolder {
    static func of(_ path: String) -> String {
        path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }
}
