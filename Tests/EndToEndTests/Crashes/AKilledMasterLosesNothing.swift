import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `kill -9 of the master and a new run lose nothing, and no child outlives its master`()
        async throws
    {
        let count = 20_000
        try await withHouse(KillScenario.settings()) { house in
            let report = try await KillScenario(messages: count, victims: [.master]).run(in: house)
            let ledger = report.ledger
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= report.bound)
            #expect(report.bound == 2 * house.settings.room)
            #expect(ledger.unanswered <= report.bound)
            #expect(report.longestOrphan <= .seconds(2))
        }
    }
}
