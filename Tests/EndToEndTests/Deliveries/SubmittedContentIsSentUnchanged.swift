import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a change to an app applies only to later submissions`() async throws {
        let (count, rounds) = (400, 3)
        var settings = TestbedSettings()
        settings.gateway.topics = "*"
        // Each message is still in flight when the app is changed.
        settings.gateway.delayMilliseconds = 40
        settings.gateway.streams = 20
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.succeed([
                "app", "update", Testbed.app, "--variable", "mediaUrl", "--variable", "turn=0",
            ])
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            // After this delivery, the engine has loaded the app.
            try await testbed.settle(try await testbed.submit())
            var expected: [Int: (topic: String, turn: String)] = [:]
            var topic = testbed.account.bundleID
            for round in 1...rounds {
                expected[try await testbed.submit()] = (topic, "\(round - 1)")
                topic = "org.example.round\(round)"
                try await testbed.succeed(
                    ["app", "update", Testbed.app, "--bundle-id", topic, "--variable", "turn=\(round)"])
            }
            expected[try await testbed.submit()] = (topic, "\(rounds)")
            for delivery in expected.keys { #expect(try await testbed.settle(delivery).counts.sent == count) }
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try testbed.gatewayRequests()
            for (delivery, wanted) in expected {
                let sent = requests.filter {
                    $0.body.contains(#""_dId":"\#(delivery)""#) && $0.ending == .accepted
                }
                #expect(sent.count == count)
                #expect(sent.allSatisfy { $0.topic == wanted.topic }, "delivery \(delivery)")
                #expect(
                    sent.allSatisfy { $0.body.contains(#""turn":"\#(wanted.turn)""#) }, "delivery \(delivery)"
                )
            }
        }
    }

    @Test func `messages that wait for an app's new key are sent with this key and their submitted content`()
        async throws
    {
        let count = 200
        var settings = TestbedSettings()
        settings.gateway.topics = "*"
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createApp(Testbed.app, try testbed.strangeKey(), bundleID: "org.example.first")
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            try await testbed.startEngine()
            let delivery = try await testbed.submit()
            _ = try await testbed.account(in: "waiting")
            let update = try await testbed.succeed(
                ["app", "update", Testbed.app, "--bundle-id", "org.example.second"] + testbed.ownKey)
            #expect(update.complaints.contains("--live-deliveries"))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let accepted = try testbed.gatewayRequests().filter { $0.ending == .accepted }
            #expect(accepted.count == count)
            #expect(accepted.allSatisfy { $0.topic == "org.example.first" })
        }
    }
}
