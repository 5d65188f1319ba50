import Testing
import pushload

extension EndToEnd.Hosts {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `a host contacts its gateway again after its account rested while all messages awaited a retry`()
        async throws
    {
        let count = 200
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.rules = "* status 503 ServiceUnavailable retry-after 3 each 1\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(.init(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let wanted = DeliveryAudit.everyoneOnce(count).with { $0.rejected = count }
            #expect(try await testbed.audit(of: delivery) == wanted)
        }
    }
}
