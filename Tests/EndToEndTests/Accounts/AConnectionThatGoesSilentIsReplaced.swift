import Testing
import pushload

extension EndToEnd.Accounts {
    /// The gateway's machine acknowledges packets and answers PINGs, so only the missing responses reveal the
    /// silence.
    @Test func `a connection that stops answering requests is replaced, and every device is reached`()
        async throws
    {
        let count = 600
        var settings = TestbedSettings()
        settings.requestTimeoutSeconds = 2
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.streams = 100
        settings.gateway.rules = "* silent connection-after 200\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(!testbed.logLines("the peer answered PINGs but no request for 2 s").isEmpty)
            let troubles = try await testbed.status().master?.accounts.flatMap(\.troubles) ?? []
            #expect(troubles.contains { $0.text == "(connection lost) no answer in time" })
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.sent == count && audit.missing == 0 && audit.doubled == 0)
        }
    }

    @Test(arguments: [
        ("* silent\n", 1_000, "the peer answered PINGs but no request for 2 s"),
        ("", 0, "the peer allows no requests (SETTINGS_MAX_CONCURRENT_STREAMS is 0)"),
    ])
    func `an account is closed with a reason if its gateway answers no request or allows no streams`(
        rules: String, streams: Int, why: String
    ) async throws {
        var settings = TestbedSettings()
        settings.requestTimeoutSeconds = 2
        settings.gateway.rules = rules
        settings.gateway.streams = streams
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(100))
            try await testbed.startEngine()
            _ = try await testbed.submit()
            let account = try await testbed.account(in: "waiting")
            #expect(account.reason.contains(why))
            #expect(account.troubles.contains { $0.text.contains(why) })
            #expect(testbed.logLines("is held back").contains { $0.contains(why) })
        }
    }
}
