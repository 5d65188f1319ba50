import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `Android's messages go out at the quota's rate and no faster`() async throws {
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
            // Between the first and the last, so that neither preparation nor what the bucket holds at first
            // counts.
            let rate = Double(count) / (Double(last - first) / 1_000)
            // A machine may be too busy for the quota; none is ever fast enough to pass it.
            #expect((500...2_100).contains(rate))
        }
    }
}
