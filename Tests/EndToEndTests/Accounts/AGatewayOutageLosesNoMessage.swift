import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `a gateway that goes down in mid-delivery and comes back loses no message`() async throws {
        let count = 20_000
        var settings = KillScenario.settings(capacity: 4_000, stopsAfter: [6_000])
        settings.children = 1
        settings.childrenAtStart = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.amidDelivery()
            try await testbed.stopGateway()
            try await testbed.account(in: "waiting")
            let pause = try await testbed.show(delivery)
            #expect(!pause.isOver && pause.counts.failed == 0)

            try await testbed.startGateway(TestbedSettings.Gateway())
            // The back-off is one or a few seconds, and messages in flight are retried within the same time.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            // An answer can be missing only for requests that the gateway had when it went down.
            #expect(audit.doubled + audit.unanswered <= 2 * settings.gateway.streams)
        }
    }
}
