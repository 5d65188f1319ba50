import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `Android messages are sent at the quota's rate and no faster`() async throws {
        let count = 20_000
        var settings = TestbedSettings()
        settings.parallelRequests = 500
        settings.messagesPerMinute = 120_000
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        try await withTestbed(settings) { testbed in
            let delivery = try await testbed.sendToAndroid(count)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            let times = try testbed.gatewayRequests().map(\.time)
            let first = try #require(times.min())
            let last = try #require(times.max())
            // Measured between the first and the last request, so that neither the preparation nor the
            // bucket's initial content counts.
            let rate = Double(count) / (Double(last - first) / 1_000)
            // The machine may be too busy to reach the quota, but it must never exceed it.
            #expect((500...2_100).contains(rate))
        }
    }
}
