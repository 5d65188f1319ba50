import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test(arguments: [
        #"{"type": "data", "collapseKey": "fares"}"#, #"{"type": "notification", "channelId": "fares"}"#,
    ])
    func `one run delivers to an iOS app and an Android app through both gateways, once to each device`(
        android: String
    ) async throws {
        let count = 1_000
        var settings = TestbedSettings()
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.importSubscribers(
                .init(count, seed: 2, isAndroid: true), into: Testbed.androidApp)
            var document = DeliveryText(apps: [Testbed.app, Testbed.androidApp])
            document.android = android
            let delivery = try await testbed.submit(document)
            try await testbed.settle(delivery)
            try await testbed.stopEngine()

            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(2 * count))
            let requests = try testbed.gatewayRequests()
            #expect(requests.count { $0.interface == .apns } == count)
            #expect(requests.count { $0.interface == .v1 && !$0.isRehearsal } == count)
            let body = try #require(requests.last?.body)
            let message = try JSONDecoder().decode(Body.self, from: Data(body.utf8)).message
            #expect(message.data["mediaUrl"] == "https://example.org/paris.png")
            if android.contains("notification") {
                #expect(
                    message.notification == [
                        "title": "Paris ✈ from \"99\" EUR", "body": "Book until Sunday.",
                    ])
                #expect(message.android.notification?.channel_id == "fares")
            } else {
                #expect(message.notification == nil)
                #expect(message.data["title"] == "Paris ✈ from \"99\" EUR")
                #expect(message.data["_msg"] == "Book until Sunday.")
                #expect(message.android.collapse_key == "fares")
            }

            let summary = try testbed.gatewaySummary()
            #expect(summary.accepted == count)
            #expect(summary.fcm.accepted == count && summary.fcm.distinctTokens == count)
            #expect(summary.oauth.tokensIssued == 1)
            #expect(summary.protocolErrors + summary.fcm.protocolErrors == 0)
        }
    }

    @Test func `a project key reaches every device once through the legacy interface`() async throws {
        let count = 500
        var settings = TestbedSettings()
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp(credential: .projectKey)
            try await testbed.startEngine()
            try await testbed.importSubscribers(.init(count, isAndroid: true), into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            #expect(try testbed.gatewayRequests().allSatisfy { $0.interface == .legacy })
            #expect(try testbed.gatewaySummary().fcm.parallelStreams <= settings.parallelRequests)
        }
    }
}

private struct Body: Decodable {
    struct Message: Decodable {
        struct Android: Decodable {
            struct Notification: Decodable { var channel_id: String? }
            var collapse_key: String?
            var notification: Notification?
        }
        var data: [String: String]
        var notification: [String: String]?
        var android: Android
    }
    var message: Message
}
