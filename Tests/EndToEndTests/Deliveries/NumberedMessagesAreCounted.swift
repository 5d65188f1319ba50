import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `an app that parses integers gets the message's number within the delivery`() async throws {
        let count = 1_000
        var settings = HouseSettings()
        settings.messageIDFormat = "integer"
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.settle(delivery)
            // The ledger holds every _mId against the log; what remains is that the log has numbers.
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
            let numbers = try await house.messageLog(delivery).compactMap { Int($0.messageId) }.sorted()
            let first = try #require(numbers.first)
            #expect(numbers == Array(first..<first + count))
        }
    }
}
