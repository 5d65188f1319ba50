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
        try Office.with { office in
            let stopped = try office.app("stopped", subscribers: 1, identity: "stopped")
            let first = try office.submit(stopped)
            _ = try office.prepare(first)
            _ = try office.copies(5 * PartLedger.mostWaitingRanges + 100, of: first)
            try office.tamper(
                """
                INSERT INTO account_trust (mark, storm_ms, first_seen_ms)
                VALUES ('\(try mark(of: stopped, office).rawValue)', 1, 1)
                """)
            let (counts, log) = try StandInChild.deliver(in: office, first: ":")
            #expect(counts.sent == 10)
            #expect(log.contains { $0.contains(" is stopped: ") })
            #expect(try office.counts(first).pending == 1)
        }
    }

    private func mark(of app: App, _ office: Office) throws -> AccountMark {
        var directory = AccountDirectory(
            store: office.store, key: office.key, gateways: try GatewaySettings(ServerConfiguration()),
            define: { office.loop.send($0) })
        _ = try directory.account(of: app.id)
        return try office.next("account") { event -> AccountMark? in
            if case .account(_, let definition) = event { definition.mark } else { nil }
        }
    }
}
