import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a child without work leaves, and another is born when there is some`() async throws {
        let count = 500
        var settings = HouseSettings()
        settings.idleChildSeconds = 1
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            let first = try await Waiting.until("the first child") {
                try await house.status().master?.children.first
            }
            _ = try await Waiting.until("the child to leave") {
                try await house.status().master?.children.isEmpty == true ? true : nil
            }
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            try await house.settle(delivery)
            let second = try #require(try await house.status().master?.children.first)
            #expect(second.generation > first.generation)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
