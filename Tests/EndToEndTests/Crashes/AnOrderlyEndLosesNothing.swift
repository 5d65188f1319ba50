import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `SIGTERM in mid-delivery leaves no request unanswered, and the next master sends the rest once`()
        async throws
    {
        let count = 20_000
        var settings = KillScenario.settings(stopsAfter: [2_000])
        settings.children = 1
        settings.childrenAtStart = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery()
            #expect(try await testbed.stopEngine().status == 0)

            let pause = try await testbed.show(delivery)
            #expect(!pause.isOver && pause.counts.sent >= 2_000 && pause.addsUp)
            // The gateway accepted exactly what the engine recorded: no message is in flight.
            try await testbed.stopGateway()
            #expect(try testbed.gatewaySummary().accepted == pause.counts.sent)

            try await testbed.startGateway(TestbedSettings.Gateway())
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
