import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `SIGTERM in mid-delivery leaves nothing out, and the next run sends the rest once`()
        async throws
    {
        let count = 20_000
        var settings = KillScenario.settings()
        settings.children = 1
        settings.childrenAtStart = 1
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 2_000 }
            #expect(try await house.stopEngine().status == 0)

            let pause = try await house.show(delivery)
            #expect(!pause.isOver && pause.counts.sent >= 2_000 && pause.addsUp)
            // What the gateway accepted is what the engine knows: nothing is out.
            try await house.stopGateway()
            #expect(try house.gatewaySummary().accepted == pause.counts.sent)

            try await house.startGateway()
            try await house.startEngine()
            try await house.settle(delivery)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
