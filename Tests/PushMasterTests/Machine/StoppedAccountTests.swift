import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import TestSupport
import Testing

/// Tests how an account that waits for an operator affects other accounts.
@Suite struct StoppedAccountTests {
    @Test func `a stopped account does not delay another account's delivery, whatever its number of parts`()
        throws
    {
        try MasterFixture.with { fixture in
            let stopped = try fixture.app("stopped", subscribers: 1, identity: "stopped")
            let first = try fixture.submit(stopped)
            _ = try fixture.prepare(first)
            _ = try fixture.copies(5 * PartLedger.maxWaitingRanges + 100, of: first)
            try fixture.tamper(
                """
                INSERT INTO account_trust (mark, storm_ms, first_seen_ms)
                VALUES ('\(try mark(of: stopped, fixture).rawValue)', 1, 1)
                """)
            let (counts, log) = try StandInChild.deliver(in: fixture, first: ":")
            #expect(counts.sent == 10)
            #expect(log.contains { $0.contains(" is stopped: ") })
            #expect(try fixture.counts(first).pending == 1)
        }
    }

    /// Tests what an app in a storm shares with another app, and whether the account stops.
    @Test(arguments: [true, false])
    func `a storm stops its app, and another app with the same account only if it has a storm too`(
        bothStorm: Bool
    ) throws {
        try MasterFixture.with { fixture in
            let apps = [
                try fixture.app("wrong", subscribers: 3, identity: "shared"),
                try fixture.app("sound", subscribers: 3, identity: "shared"),
            ]
            let account = try mark(of: apps[0], fixture)
            let marks = apps.map { account.part(of: $0) }
            for mark in bothStorm ? marks : [marks[0]] {
                try fixture.tamper(
                    "INSERT INTO account_trust (mark, storm_ms, first_seen_ms) VALUES ('\(mark.rawValue)', 1, 1)"
                )
            }
            // The third app has another account, and its messages are sent last.
            let other = try fixture.app("other", subscribers: 3, identity: "other")
            let deliveries = try (apps + [other]).map { try fixture.submit($0) }
            let parts = try deliveries.flatMap { try fixture.prepare($0) }
            try StandInChild.write(parts.flatMap(\.ids), to: fixture.folder)
            func pending() throws -> [Int] { try deliveries.map { try fixture.counts($0).pending } }
            let log = try StandInChild.serve(fixture, program: StandInChild.program(first: ":")) { _ in
                try eventually("all that may be sent is sent") {
                    try pending() == (bothStorm ? [3, 3, 0] : [3, 0, 0])
                }
            }
            #expect(try pending() == (bothStorm ? [3, 3, 0] : [3, 0, 0]))
            let stops = log.filter { $0.contains(" is stopped: ") }
            #expect(stops.contains { $0.contains("app wrong of ") } == !bothStorm, "\(stops)")
        }
    }

    private func mark(of app: App, _ fixture: MasterFixture) throws -> AccountKey {
        var directory = AccountDirectory(
            store: fixture.store, key: fixture.key, gateways: try GatewaySettings(ServerConfiguration()),
            define: { fixture.loop.send($0) })
        _ = try directory.account(of: app.id)
        return try fixture.next("account") { event -> AccountKey? in
            if case .account(_, let definition) = event { definition.mark } else { nil }
        }
    }
}
