import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a child that says nothing any more is replaced, and what it had is sent by another`()
        async throws
    {
        let count = 10_000
        var settings = KillScenario.settings()
        settings.children = 1
        settings.childrenAtStart = 1
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 2_000 }
            let wedged = try #require(try await house.status().master?.children.first)
            house.stop(child: wedged.pid)

            let report = try await house.settle(delivery)
            #expect(report.counts.sent == count)
            #expect(!ProcessTable.isAlive(wedged.pid))
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= settings.room)
        }
    }
}
