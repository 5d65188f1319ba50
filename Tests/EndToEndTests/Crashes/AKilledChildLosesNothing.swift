import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `kill -9 of a child in mid-delivery loses nothing and doubles at most what was in its hands`()
        async throws
    {
        let count = 20_000
        try await withHouse(KillScenario.settings(delayMilliseconds: 400)) { house in
            var scenario = KillScenario(messages: count, victims: [.child])
            scenario.awaitsBirths = true
            let report = try await scenario.run(in: house)
            let ledger = report.ledger
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= report.bound)
            #expect(report.bound == house.settings.room)
            // What the gateway had taken and not answered when its caller vanished was sent again.
            #expect(ledger.unanswered <= report.bound)
            #expect(report.births == 1)
        }
    }
}
