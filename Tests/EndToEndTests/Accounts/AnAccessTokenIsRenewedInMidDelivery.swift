import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `access tokens that expire in mid-delivery are renewed, and no message is lost`() async throws
    {
        let count = 3_000
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.tokenSeconds = 1
        fcm.delayMilliseconds = 10
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            let delivery = try await testbed.sendToAndroid(count)
            let audit = try await testbed.audit(of: delivery)
            // A request that was sent just before the token expired may arrive too late. The gateway rejects
            // it, and it is sent again.
            #expect(audit == .everyoneOnce(count).with { $0.rejected = audit.rejected })
            let summary = try testbed.gatewaySummary()
            #expect(
                summary.fcm.rejected == (summary.fcm.rejectedByReason["UNAUTHENTICATED:no-FcmError"] ?? 0))
            #expect((summary.oauth.tokensIssued ?? 0) >= 2)
        }
    }

    @Test
    func `if a gateway reports a valid token as expired, the messages are sent again with a new token`()
        async throws
    {
        let count = 2_000
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "* rpc 401 UNAUTHENTICATED every 500 times 2\n"
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            let delivery = try await testbed.sendToAndroid(count)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 })
            #expect(try testbed.gatewaySummary().oauth.tokensIssued == 3)
        }
    }
}

extension Testbed {
    /// Runs one delivery to an Android app, from an empty testbed to its end.
    func sendToAndroid(_ count: Int) async throws -> Int {
        try await createService()
        try await createAndroidApp()
        try await startEngine()
        try await importSubscribers(.init(count, isAndroid: true), into: Testbed.androidApp)
        let delivery = try await submit(DeliveryText(apps: [Testbed.androidApp]))
        try await settle(delivery)
        try await stopEngine()
        return delivery
    }
}
