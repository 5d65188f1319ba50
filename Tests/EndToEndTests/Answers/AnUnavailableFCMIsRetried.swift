import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `messages that FCM refuses twice as unavailable are still sent`() async throws {
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

    @Test func `without fast retries, messages that FCM refuses as unavailable are retried on the calendar`()
        async throws
    {
        let count = 20
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = "* fcm UNAVAILABLE\n"
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            try testbed.addSettings(
                #"<retry count="5" period="1h" minimumDelays="false" fastCount="0"/>"#)
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, isAndroid: true), into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await testbed.wait(for: delivery, "all to wait for the calendar") {
                $0.counts.retrying == count
            }
            let rows = try await testbed.messageLog(delivery)
            #expect(rows.count == count && rows.allSatisfy { $0.attempts == 1 })
            try await testbed.stopEngine()
        }
    }
}
