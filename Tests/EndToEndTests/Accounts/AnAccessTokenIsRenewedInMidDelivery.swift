import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `access tokens that end in mid-delivery are renewed, and nothing is lost`() async throws {
        let count = 3_000
        var settings = HouseSettings()
        var fcm = HouseSettings.Gateway.FCM()
        fcm.tokenSeconds = 1
        fcm.delayMilliseconds = 10
        settings.gateway.fcm = fcm
        try await withHouse(settings) { house in
            let delivery = try await house.sendToAndroid(count)
            let ledger = try await house.ledger(of: delivery)
            // A request that left just in time may arrive too late: it is told so and sent again.
            #expect(ledger == .everyoneOnce(count).with { $0.rejected = ledger.rejected })
            let summary = try house.gatewaySummary()
            #expect(
                summary.fcm.rejected == (summary.fcm.rejectedByReason["UNAUTHENTICATED:no-FcmError"] ?? 0))
            #expect((summary.oauth.tokensIssued ?? 0) >= 2)
        }
    }

    @Test func `a gateway that calls a sound token expired gets another, and the messages again`()
        async throws
    {
        let count = 2_000
        var settings = HouseSettings()
        var fcm = HouseSettings.Gateway.FCM()
        fcm.rules = "* rpc 401 UNAUTHENTICATED every 500 times 2\n"
        settings.gateway.fcm = fcm
        try await withHouse(settings) { house in
            let delivery = try await house.sendToAndroid(count)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 })
            #expect(try house.gatewaySummary().oauth.tokensIssued == 3)
        }
    }
}

extension House {
    /// From nothing to the end of a delivery to one Android app.
    func sendToAndroid(_ count: Int) async throws -> Int {
        try await createService()
        try await createAndroidApp()
        try await startEngine()
        try await importSubscribers(.init(count, isAndroid: true), into: House.androidApp)
        let delivery = try await submit(DeliveryText(apps: [House.androidApp]))
        try await settle(delivery)
        try await stopEngine()
        return delivery
    }
}
