import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Binary {
    @Test
    func
        `the feedback service is read on the calendar, and devices that have registered since then are kept`()
        async throws
    {
        let count = 500
        let subscribers = SyntheticSubscribers(count)
        let now = Int(Date().timeIntervalSince1970)
        try await withBinaryTestbed {
            $0.binary.feedbackPeriodSeconds = 1
        } _: { testbed in
            try await testbed.importSubscribers(subscribers, into: Testbed.binaryApp)
            try testbed.tellFeedback([
                // In this order: two tokens whose app was removed after their registrations, one whose app
                // was removed before its registration, and one that belongs to an unknown device.
                .init(token: subscribers.token(0), time: now + 3_600),
                .init(token: subscribers.token(1), time: now + 3_600),
                .init(token: subscribers.token(2), time: now - 86_400),
                .init(token: String(repeating: "ab", count: 32), time: now + 3_600),
            ])
            try await testbed.startEngine()
            // Each line contains the evidence, and no line contains a full token.
            for (index, word) in [(0, "disabled"), (1, "disabled"), (2, "kept")] {
                let token = subscribers.token(index)
                let line = try await Waiting.until("token \(index) to be \(word)") {
                    testbed.engineLog.split(separator: "\n").first {
                        $0.contains("\(word) \(token.prefix(8))")
                    }
                }
                #expect(line.contains("app removed at") && line.contains("last registered"))
                #expect(!line.contains(token))
            }

            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.binaryApp]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit == .everyoneOnce(count - 2).with { $0.excluded = audit.excluded })
            let reached = Set(try testbed.gatewayRequests().map(\.token))
            #expect(!reached.contains(subscribers.token(0)) && !reached.contains(subscribers.token(1)))
            #expect(reached.contains(subscribers.token(2)))
            #expect(try testbed.gatewaySummary().feedback.tuplesTold == 4)
        }
    }
}
