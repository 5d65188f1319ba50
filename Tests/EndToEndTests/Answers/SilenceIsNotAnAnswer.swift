import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `a request without an answer is given up in time and sent again with the same id`()
        async throws
    {
        let count = 2_000
        var settings = HouseSettings()
        settings.requestTimeoutSeconds = 2
        settings.gateway.rules = "* silent every 400 times 4\n"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count).with { $0.unanswered = 4 })
            let attempts = try await house.messageLog(delivery).map(\.attempts).reduce(0, +)
            #expect(attempts == count + 4)
        }
    }
}
