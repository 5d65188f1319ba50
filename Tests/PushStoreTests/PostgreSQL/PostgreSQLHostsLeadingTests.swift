import Foundation
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests which host may lead, which hosts the leader treats as lost, and that a host that was treated as lost
/// cannot write.
@Suite(.onPostgreSQL) struct PostgreSQLHostsLeadingTests {
    private let word = HostReport(sends: true, shares: 1)

    @Test func `after the leader's goodbye, another host leads immediately`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            var claim = try a.register.takeOver(from: nil, afterMilliseconds: 20_000)
            #expect(claim?.generation == 1)
            try a.register.leave()
            claim = nil
            #expect(try b.speak().leader == nil)
            let next = try #require(try b.register.takeOver(from: nil, afterMilliseconds: 20_000))
            #expect(next.generation == 2)
            eventually("the first to be notified") {
                let news = try? a.register.renew(generation: 1, forMilliseconds: 20_000, saying: word)
                return news?.hasPlace == false
            }
            #expect(try b.store.hosts.all().map { "\($0.name) \($0.state)" } == ["b leading", "a gone"])
            withExtendedLifetime((claim, next)) {}
        }
    }

    @Test func `no host takes over during a long write, and a host that tries to is not blocked`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            let seen = try #require(try b.speak().leader)
            let held =
                "FROM pg_locks WHERE locktype = 'advisory' AND classid = 1347245121 AND objid = 1 AND granted"
            let here = "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            Thread.detachNewThread {
                _ = try? shared.run("SELECT pg_advisory_lock(1347245121, 1), pg_sleep(3600)")
            }
            eventually("the lock to be held") {
                (try? shared.run("SELECT count(*) \(held) \(here)")) == ["1"]
            }
            #expect(try b.register.takeOver(from: seen, afterMilliseconds: 0) == nil)
            #expect(try b.speak().hasPlace, "its own connection continues")
            try shared.run("SELECT pg_terminate_backend(pid) \(held) \(here)")
            eventually("the take-over") {
                guard let leader = try? b.speak().leader else { return false }
                return (try? b.register.takeOver(from: leader, afterMilliseconds: 0)) != nil
            }
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a leader that renews its lease is not replaced, nor is a leader in another generation`()
        throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            let seen = try #require(try b.speak().leader)
            // According to the server's clock, the leader wrote its report a moment ago.
            #expect(try b.register.takeOver(from: seen, afterMilliseconds: 20_000) == nil)
            #expect(try a.register.renew(generation: 1, forMilliseconds: 20_000, saying: word).hasPlace)
            #expect(try b.register.takeOver(from: seen, afterMilliseconds: 0) == nil)
            #expect(try b.register.takeOver(from: nil, afterMilliseconds: 0) == nil)
            try a.write(1)
            #expect(a.store.change() == nil)
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `a leader that was replaced writes nothing more, even if the lock becomes free`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            try a.write(1)
            let seen = try #require(try b.speak().leader)
            var next = try b.register.takeOver(from: seen, afterMilliseconds: 0)
            #expect(next?.generation == 2)
            try b.write(2)
            eventually("the first to be notified") {
                let news = try? a.register.renew(generation: 1, forMilliseconds: 20_000, saying: word)
                return news?.hasPlace == false
            }
            // The lock alone would admit the host.
            next = nil
            #expect(throws: StoreError.self) { try a.write(3) }
            #expect(throws: StoreError.self) { try a.write(3) }
            #expect(a.store.change()?.role == .claim)
            #expect(try b.store.repair.held().map(\.delivery.rawValue).sorted() == [1, 2])
            withExtendedLifetime((claim, next)) {}
        }
    }

    @Test func `a host that does not lead and is treated as lost writes nothing more until it enters again`()
        throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            try b.write(1)
            let seen = try b.seen(by: a)
            #expect(try a.register.end([seen], afterMilliseconds: 0) == [seen])
            eventually("its connection to be ended") { (try? b.write(2)) == nil }
            #expect(throws: StoreError.self) { try b.write(2) }
            #expect(b.store.change()?.role == .claim)
            b.losesPlace()
            #expect(try a.store.hosts.all().map { "\($0.name) \($0.state)" } == ["a leading", "b lost"])

            #expect(try b.register.enter(name: "b", release: "1", replacing: nil) == .entered)
            #expect(b.store.change() == nil)
            try b.write(3)
            let held = try a.store.repair.held().map(\.delivery.rawValue)
            #expect(held.contains(1) && held.contains(3))
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `only a host that is silent by the server's clock is treated as lost, and never the leader`()
        throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            let seen = try b.seen(by: a)
            #expect(try a.register.end([], afterMilliseconds: 0) == [])
            #expect(try a.register.end([seen], afterMilliseconds: 20_000) == [], "it spoke a moment ago")
            try b.speak()
            #expect(try a.register.end([seen], afterMilliseconds: 0) == [], "it has spoken since")
            let leader = try #require(try b.speak().leader)
            #expect(try b.register.end([leader], afterMilliseconds: 0) == [])
            var stranger = seen
            stranger.session = "another"
            #expect(try a.register.end([stranger], afterMilliseconds: 0) == [])
            #expect(try b.speak().hasPlace)
            try b.write(1)
            withExtendedLifetime(claim) {}
        }
    }

    @Test func `if the answer to a takeover was lost, only the host that took over can repeat it`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.host("a"), try shared.sender("b"))
            let first = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            // While it stands by, the host writes its reports and keeps its place.
            let news = try a.register.look(saying: HostReport())
            #expect(news.hasPlace && news.otherLeader == nil && news.ownLead?.host == a.id)
            #expect(try b.speak().leader?.host == a.id)
            #expect(try b.register.takeOver(from: nil, afterMilliseconds: 0) == nil)
            let second = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            #expect(second.generation == 2)
            let renewed = try a.register.renew(generation: 2, forMilliseconds: 20_000, saying: word)
            #expect(renewed.hasPlace)
            try a.write(1)
            #expect(a.store.change() == nil)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func `a host stops standing by if the tables belong to a later release`() throws {
        try SharedDatabase.with { shared in
            let a = try shared.host("a")
            try shared.run("UPDATE store SET version = 99")
            guard
                case .newerVersion? = cause(of: {
                    _ = try a.register.takeOver(from: nil, afterMilliseconds: 0)
                })
            else {
                Issue.record("it took over")
                return
            }
            try shared.run("UPDATE store SET version = \(StoreSchema.postgreSQL)")
            #expect(try a.register.takeOver(from: nil, afterMilliseconds: 0) != nil)
        }
    }

    @Test func `a column that an earlier build does not know is added while hosts with that build send`()
        throws
    {
        try SharedDatabase.with { shared in
            let a = try shared.host("a")
            let lead = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 0))
            try shared.run("ALTER TABLE service DROP COLUMN description")
            let b = try shared.host("b")
            #expect(try shared.run("SELECT version FROM store") == ["\(StoreSchema.postgreSQL)"])
            try shared.run(
                "INSERT INTO service (name, label, description) VALUES ('shop', 'Shop', 'All of it.')")
            #expect(try b.store.catalogue.services().map(\.description) == ["All of it."])
            // The host that was sending continues.
            #expect(try a.register.look(saying: HostReport()).hasPlace)
            withExtendedLifetime(lead) {}
        }
    }
}
