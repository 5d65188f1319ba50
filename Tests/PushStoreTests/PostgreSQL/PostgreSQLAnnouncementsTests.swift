import Dispatch
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests the announcements that hosts sharing a database send to each other.
@Suite(.onPostgreSQL) struct PostgreSQLAnnouncementsTests {
    /// A timeout, in milliseconds. It is so long that a missed announcement makes the test hang.
    private static let hour: Int32 = 3_600_000

    @Test func `a host's announcement reaches the other hosts, but not the host itself`() throws {
        try SharedDatabase.with { shared in
            let (a, b, c) = (try shared.sender("a"), try shared.sender("b"), try shared.sender("c"))
            // A host cannot know what was announced before it began to listen.
            for host in [a, b, c] {
                #expect(host.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
                #expect(!host.register.waitForAnnouncement(atMostMilliseconds: 0))
            }
            try a.register.announce()
            #expect(b.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            #expect(c.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            #expect(!a.register.waitForAnnouncement(atMostMilliseconds: 0))
            #expect(!b.register.waitForAnnouncement(atMostMilliseconds: 0))
            // An announcement also arrives with the answer to another statement.
            try b.register.announce()
            try a.speak()
            #expect(a.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
        }
    }

    @Test func `a process that is not a host can send announcements too`() throws {
        try SharedDatabase.with { shared in
            let host = try shared.sender("a")
            #expect(host.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            let command = try shared.open("elsewhere")
            for _ in 0..<2 {
                command.announceChange()
                #expect(host.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            }
        }
    }

    @Test func `after a lost connection, a host assumes that there was an announcement, and listens again`()
        throws
    {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            #expect(b.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            try shared.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = (SELECT session FROM host WHERE name = 'b')
                """)
            // Without a connection the host receives nothing, but it can be woken.
            b.register.wake()
            #expect(!b.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            eventually("it sends a notification over another connection") { (try? b.speak()) != nil }
            #expect(b.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            try a.register.announce()
            #expect(b.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
        }
    }

    @Test func `a host that waits for announcements can be woken`() throws {
        try SharedDatabase.with { shared in
            let host = try shared.sender("a")
            #expect(host.register.waitForAnnouncement(atMostMilliseconds: Self.hour))
            let register = host.register
            let isOver = DispatchSemaphore(value: 0)
            let isAnnounced = Mutex(true)
            DispatchQueue.global().async {
                let announced = register.waitForAnnouncement(atMostMilliseconds: Self.hour)
                isAnnounced.withLock { $0 = announced }
                isOver.signal()
            }
            register.wake()
            #expect(isOver.wait(timeout: .now() + .seconds(30)) == .success)
            let wasAnnounced = isAnnounced.withLock { $0 }
            #expect(!wasAnnounced)
        }
    }

    @Test func `all hosts see that a host has unrecorded work, until that host leaves`() throws {
        try SharedDatabase.with { shared in
            let (a, b) = (try shared.sender("a"), try shared.sender("b"))
            _ = try b.register.look(
                saying: HostReport(sends: true, shares: 2, unrecorded: 17, answersPerSecond: 1_200))
            let claim = try #require(try a.register.takeOver(from: nil, afterMilliseconds: 20_000))
            _ = try a.register.renew(
                generation: claim.generation, forMilliseconds: 20_000,
                saying: HostReport(sends: true, shares: 2, unrecorded: 5, answersPerSecond: 7))
            let rows = try b.store.hosts.all()
            #expect(rows.map(\.unrecorded) == [5, 17] && rows.map(\.answersPerSecond) == [7, 1_200])
            try b.register.leave()
            #expect(try a.store.hosts.all().map(\.unrecorded) == [5, 0])
            withExtendedLifetime(claim) {}
        }
    }
}
