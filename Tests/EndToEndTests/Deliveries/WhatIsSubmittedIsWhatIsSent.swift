import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a change of an app counts for what is submitted after it, and for nothing before`()
        async throws
    {
        let (count, rounds) = (400, 3)
        var settings = HouseSettings()
        settings.gateway.topics = "*"
        // Each is still under way when the app is changed.
        settings.gateway.delayMilliseconds = 40
        settings.gateway.streams = 20
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.succeed([
                "app", "update", House.app, "--variable", "mediaUrl", "--variable", "turn=0",
            ])
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            // The engine knows the app by now.
            try await house.settle(try await house.submit())
            var expected: [Int: (topic: String, turn: String)] = [:]
            var topic = house.account.bundleID
            for round in 1...rounds {
                expected[try await house.submit()] = (topic, "\(round - 1)")
                topic = "org.example.round\(round)"
                try await house.succeed(
                    ["app", "update", House.app, "--bundle-id", topic, "--variable", "turn=\(round)"])
            }
            expected[try await house.submit()] = (topic, "\(rounds)")
            for delivery in expected.keys { #expect(try await house.settle(delivery).counts.sent == count) }
            try await house.stopEngine()
            try await house.stopGateway()
            let requests = try house.gatewayRequests()
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

    @Test func `what waits for an app's new key is sent with it, and is what it was submitted as`()
        async throws
    {
        let count = 200
        var settings = HouseSettings()
        settings.gateway.topics = "*"
        try await withHouse(settings) { house in
            try await house.createService()
            try await house.createApp(House.app, try house.strangeKey(), bundleID: "org.example.first")
            try await house.importSubscribers(SyntheticSubscribers(count))
            try await house.startEngine()
            let delivery = try await house.submit()
            _ = try await house.account(in: "closed")
            let update = try await house.succeed(
                ["app", "update", House.app, "--bundle-id", "org.example.second"] + house.ownKey)
            #expect(update.complaints.contains("--live-deliveries"))
            try await house.settle(delivery)
            try await house.stopEngine()
            try await house.stopGateway()
            let accepted = try house.gatewayRequests().filter { $0.ending == .accepted }
            #expect(accepted.count == count)
            #expect(accepted.allSatisfy { $0.topic == "org.example.first" })
        }
    }
}
