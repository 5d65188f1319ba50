import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `messages for which FCM is unavailable twice are sent all the same`() async throws {
        let count = 500
        let each = 10
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "d1* fcm UNAVAILABLE retry-after 1 each 2\n"
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1"], perPrefix: each, isAndroid: true),
                into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(
                try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.rejected = 2 * each })
        }
    }
}
