import Testing
import pushload

extension EndToEnd.Accounts {
    @Test
    func `an account that the gateway refuses in mid-delivery is put on hold, and its messages wait`()
        async throws
    {
        let count = 4_000
        var settings = TestbedSettings()
        settings.gateway.rules = "* status 403 InvalidProviderToken every 700 times 1\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("InvalidProviderToken"))
            let held = try await testbed.show(delivery)
            #expect(held.counts.failed == 0 && held.counts.pending > 0)

            // The breaker probes with a single message after half a minute.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 1 })
        }
    }
}
