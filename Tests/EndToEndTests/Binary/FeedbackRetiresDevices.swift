import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Binary {
    @Test func `the feedback service is read on the calendar, and who registered since is kept`() async throws
    {
        let count = 500
        let subscribers = SyntheticSubscribers(count)
        let now = Int(Date().timeIntervalSince1970)
        try await withBinaryHouse {
            $0.binary.feedbackPeriodSeconds = 1
        } _: { house in
            try await house.importSubscribers(subscribers, into: House.binaryApp)
            try house.tellFeedback([
                // Gone since a moment that is after each registration, gone before it, and nobody's.
                .init(token: subscribers.token(0), time: now + 3_600),
                .init(token: subscribers.token(1), time: now + 3_600),
                .init(token: subscribers.token(2), time: now - 86_400),
                .init(token: String(repeating: "ab", count: 32), time: now + 3_600),
            ])
            try await house.startEngine()
            // Each with its evidence, and nobody's token in full.
            for (index, word) in [(0, "disabled"), (1, "disabled"), (2, "kept")] {
                let token = subscribers.token(index)
                let line = try await Waiting.until("token \(index) to be \(word)") {
                    house.engineLog.split(separator: "\n").first { $0.contains("\(word) \(token.prefix(8))") }
                }
                #expect(line.contains("gone") && line.contains("last registered"))
                #expect(!line.contains(token))
            }

            let delivery = try await house.submit(DeliveryText(apps: [House.binaryApp]))
            try await house.settle(delivery)
            try await house.stopEngine()
            let ledger = try await house.ledger(of: delivery)
            #expect(ledger == .everyoneOnce(count - 2).with { $0.excluded = ledger.excluded })
            let reached = Set(try house.gatewayRequests().map(\.token))
            #expect(!reached.contains(subscribers.token(0)) && !reached.contains(subscribers.token(1)))
            #expect(reached.contains(subscribers.token(2)))
            #expect(try house.gatewaySummary().feedback.tuplesTold == 4)
        }
    }
}
