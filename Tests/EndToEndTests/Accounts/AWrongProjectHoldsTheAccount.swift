import Testing
import pushload

extension EndToEnd.Accounts {
    @Test
    func `a project that FCM refuses in mid-delivery is put on hold, and its messages wait for access`()
        async throws
    {
        let count = 2_000
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = 1
        // One answer may concern only its message. A second such answer in a row, for another token, concerns
        // the account.
        fcm.rules = "* rpc 403 PERMISSION_DENIED after 700 times 2\n"
        settings.gateway.fcm = fcm
        settings.parallelRequests = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(.init(count, isAndroid: true), into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains("PERMISSION_DENIED"))
            let held = try await testbed.show(delivery)
            #expect(held.counts.failed == 0 && held.counts.pending > 0)

            // The breaker probes with a single message after half a minute.
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 })
            #expect(
                try await testbed.succeed(["subscribers", "count", "--app", Testbed.androidApp]).output
                    == "\(count)\n")
        }
    }
}
