import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `messages for which FCM is unavailable twice are sent all the same`() async throws {
        let count = 500
        let each = 10
        var settings = HouseSettings()
        var fcm = HouseSettings.Gateway.FCM()
        fcm.rules = "d1* fcm UNAVAILABLE retry-after 1 each 2\n"
        settings.gateway.fcm = fcm
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createAndroidApp()
            try await house.startEngine()
            try await house.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: each, isAndroid: true),
                into: House.androidApp)
            let delivery = try await house.submit(DeliveryText(apps: [House.androidApp]))
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(
                try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 * each })
        }
    }
}
