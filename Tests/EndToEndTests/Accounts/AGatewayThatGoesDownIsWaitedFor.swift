import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a gateway that goes down in mid-delivery and comes back costs nobody a message`() async throws
    {
        let count = 20_000
        var settings = KillScenario.settings(room: 4_000)
        settings.children = 1
        settings.childrenAtStart = 1
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 6_000 }
            try await house.stopGateway()
            _ = try await Waiting.until("the account to be held back") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            let pause = try await house.show(delivery)
            #expect(!pause.isOver && pause.counts.failed == 0)

            try await house.startGateway()
            // Its back-off is a second or a few; what was on its way is tried again within as much.
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            // Only a request that the gateway had when it went can have been answered into the void.
            #expect(ledger.doubled + ledger.unanswered <= 2 * settings.gateway.streams)
        }
    }
}
