import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import Testing

/// What becomes of the others when one account waits for a person.
@Suite struct StoppedAccountTests {
    @Test func `a stopped account with any number of parts does not keep another's delivery waiting`() throws
    {
        try MasterFixture.with { fixture in
            let stopped = try fixture.app("stopped", subscribers: 1, identity: "stopped")
            let first = try fixture.submit(stopped)
            _ = try fixture.prepare(first)
            _ = try fixture.copies(5 * PartLedger.mostWaitingRanges + 100, of: first)
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
