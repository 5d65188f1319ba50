import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests which hosts may enter a shared database, and what they know about each other.
@Suite(.onPostgreSQL) struct PostgreSQLHostsTests {
    @Test func `a host to which a new connection is refused renews its lease over its write connection`()
        throws
    {
        try SharedDatabase.with { database in
            let host = try database.sender("a")
            let cluster = try #require(TemporaryCluster.shared)
            let name = database.server.database
            try cluster.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            // The newest connection is the one for the lease.
            try cluster.run(
                """
                SELECT pg_terminate_backend(pid) FROM (
                    SELECT pid FROM pg_stat_activity WHERE datname = '\(name)' ORDER BY backend_start DESC LIMIT 1) AS last
                """)
            eventually("the lease to be renewed") { (try? host.speak().hasPlace) == true }
            try cluster.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
            #expect(try host.speak().hasPlace)
        }
    }

    @Test func `an entering host stands by, and other hosts can read its report`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.host("b"))
            #expect(a.id != b.id)
            let first = try a.register.look(saying: HostReport())
            #expect(first.hasPlace && first.leader == nil && first.storeMilliseconds > 0)
            #expect(first.others.map(\.seen.name) == ["b"])
            #expect(first.others.map(\.shares) == [0])
            #expect(try a.store.hosts.all().map(\.state) == ["standby", "standby"])
            try b.speak(shares: 2)
            let second = try a.register.look(saying: HostReport())
            #expect(second.others.map(\.shares) == [2] && second.others.map(\.leads) == [false])
            let words = (first.others + second.others).map(\.seen.word)
            #expect(words == words.sorted() && Set(words).count == 2, "\(words)")
            #expect(second.storeMilliseconds >= first.storeMilliseconds)
            let states = try a.store.hosts.all().map { "\($0.name) \($0.state)" }
            #expect(states == ["b sending", "a standby"])
        }
    }

    @Test func `one host leads, and the other hosts recognise it as the leader and send too`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.host("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            #expect(claim.generation == 1)
            let leader = try #require(try b.speak(shares: 2).leader)
            #expect(leader.host == a.id && leader.name == "a" && leader.generation == 1)
            let word = HostReport(sends: true, shares: 3, obeyedMilliseconds: 7)
            let news = try a.register.renew(generation: 1, forMilliseconds: 20_000, saying: word)
            #expect(news.hasPlace && news.otherLeader == nil && news.ownLead?.host == a.id)
            #expect(news.others.map(\.seen.host) == [b.id] && news.others.map(\.shares) == [2])
            let seen = try b.speak(shares: 2).others
            #expect(seen.map(\.leads) == [true] && seen.map(\.shares) == [3])
            let rows = try b.store.hosts.all()
            #expect(rows.map(\.state) == ["leading", "sending"] && rows.map(\.name) == ["a", "b"])
            #expect(rows.map(\.sends) == [true, true] && rows.map(\.generation) == [1, 0])
            // With another generation, the host renews nothing.
            let other = try a.register.renew(generation: 2, forMilliseconds: 20_000, saying: word)
            #expect(!other.hasPlace)
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `after its goodbye, a host is not listed and has no place`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            try b.register.leave()
            #expect(try a.speak().others == [])
            #expect(try !b.speak().hasPlace)
            #expect(try a.store.hosts.all().map(\.state) == ["sending", "gone"])
            // The host may enter again.
            #expect(try b.register.enter(name: "b", release: "2", replacing: nil) == .entered)
            #expect(try b.speak().hasPlace)
            let rows = try a.store.hosts.all()
            #expect(rows.map(\.state) == ["sending", "sending"] && rows.map(\.release) == ["1", "2"])
        }
    }

    @Test func `host numbers are never reused, even after their hosts are forgotten`() throws {
        try SharedDatabase.with { shared in
            func term(of name: String) throws -> Int64? {
                try shared.run("SELECT term FROM host WHERE name = '\(name)'").first.flatMap { Int64($0) }
            }
            let leader = try shared.host("leader")
            let claim = try leader.register.takeOver(from: nil, afterMilliseconds: 20_000)
            var terms = [try #require(try term(of: "leader"))]
            #expect(terms[0] > 0)
            for number in 1...4 {
                let host = try shared.sender("host\(number)")
                terms.append(try #require(try term(of: host.name)))
                try host.register.leave()
                try shared.run("UPDATE host SET word_ms = 0 WHERE name = '\(host.name)'")
            }
            // All except the host that left last.
            #expect(try leader.store.hosts.all().map(\.name) == ["leader", "host4"])
            #expect(try leader.register.enter(name: "leader", release: "1", replacing: nil) == .entered)
            terms.append(try #require(try term(of: "leader")))
            #expect(terms == terms.sorted() && Set(terms).count == terms.count, "\(terms)")
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a drained host is not forgotten, however long it is absent`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let note = AuditNote(
                who: "a test", action: "host.drain", .of("b: drain"), at: TemporaryStore.noon)
            #expect(try a.register.drain(b.id, true, noting: note))
            #expect(try a.store.audit.page().map(\.what) == ["b: drain"])
            try b.register.leave()
            try shared.run("UPDATE host SET word_ms = 0 WHERE name = 'b'")
            _ = try shared.sender("c")
            _ = try shared.sender("d")
            #expect(try b.register.enter(name: "b", release: "1", replacing: nil) == .entered)
            #expect(try b.speak().isDrained)
        }
    }

    @Test func `a host whose account cannot terminate other sessions is refused and changes nothing`() throws
    {
        try SharedDatabase.with { shared in
            let cluster = try #require(TemporaryCluster.shared)
            let first = try shared.sender("a")
            try shared.run(
                """
                CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA pushmta TO guest;
                GRANT ALL ON ALL TABLES IN SCHEMA pushmta TO guest;
                GRANT ALL ON ALL SEQUENCES IN SCHEMA pushmta TO guest
                """)
            defer { _ = try? shared.run("DROP OWNED BY guest; DROP ROLE guest") }
            try TemporaryFolder.with { folder in
                let guest = cluster.address(of: shared.server.database, account: "guest")
                let store = try Store.open(
                    .postgreSQL(guest, instanceFolder: folder), busyTimeoutMilliseconds: 5_000)
                let register = try #require(try store.hostRegister())
                let error = #expect(throws: StoreError.self) {
                    try register.enter(name: "b", release: "1", replacing: nil)
                }
                #expect(error?.description.contains("use the account postgres") == true)
                #expect(try first.store.hosts.all().map(\.name) == ["a"])
                // No other account can end a connection of the server's own account, whatever its privileges.
                try first.register.leave()
                #expect(try register.enter(name: "b", release: "1", replacing: nil) == .entered)
            }
        }
    }

    @Test
    func `a second process with the id of a running host is refused, and enters after that host has ended`()
        throws
    {
        try SharedDatabase.with { shared in
            let first = try shared.sender("a")
            do {
                let second = try #require(try shared.open("a").hostRegister())
                #expect(second.host == first.id)
                guard
                    case .known(let seen, let isConnected) = try second.enter(
                        name: "b", release: "1", replacing: nil)
                else {
                    Issue.record("it was entered")
                    return
                }
                #expect(isConnected && seen.name == "a")
                #expect(
                    try second.enter(name: "b", release: "1", replacing: "another session")
                        == .known(seen, isConnected: true))
                #expect(try second.enter(name: "b", release: "1", replacing: seen.session) == .entered)
            }
            first.losesPlace()
            #expect(throws: StoreError.self) {
                try first.register.takeOver(from: nil, afterMilliseconds: 0)
            }
        }
    }

    @Test func `an instance file without a valid id is refused`() throws {
        try SharedDatabase.with { shared in
            let store = try shared.open("a")
            try "x y\n".write(toFile: store.instancePath, atomically: false, encoding: .utf8)
            #expect(throws: StoreError.self) { try store.hostRegister() }
        }
    }

    @Test func `a store in a file has no list of hosts`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            #expect(try store.hostRegister() == nil)
            #expect(try store.hosts.all() == [])
            #expect(try store.hosts.unresponsiveHosts(besides: "").names == [])
        }
    }
}
