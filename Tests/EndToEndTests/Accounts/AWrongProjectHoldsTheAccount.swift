import Testing
import pushload

extension EndToEnd.Accounts {
    @Test
    func `a project that FCM refuses in mid-delivery is held, and its messages wait until it is let in`()
        async throws
    {
        let count = 2_000
        var settings = HouseSettings()
        var fcm = HouseSettings.Gateway.FCM()
        fcm.delayMilliseconds = 1
        fcm.rules = "* rpc 403 PERMISSION_DENIED every 700 times 1\n"
        settings.gateway.fcm = fcm
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createAndroidApp()
            try await house.startEngine()
            try await house.importSubscribers(.init(count, isAndroid: true), into: House.androidApp)
            let delivery = try await house.submit(DeliveryText(apps: [House.androidApp]))
            let account = try await Waiting.until("the account to be held") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            #expect(account.reason.contains("PERMISSION_DENIED"))
            let held = try await house.show(delivery)
            #expect(held.counts.failed == 0 && held.counts.pending > 0)

            // The breaker asks again with a single message after half a minute.
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.rejected = 1 })
            #expect(
                try await house.succeed(["subscribers", "count", "--app", House.androidApp]).output
                    == "\(count)\n")
        }
    }
}
