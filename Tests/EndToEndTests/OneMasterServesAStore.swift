import Testing
import pushload

extension EndToEnd {
    @Test func `a second master is refused with one line and leaves the first alone`() async throws {
        try await withHouse { house in
            try await house.createApp()
            try await house.startEngine()
            let first = try #require(try await house.status().master)
            let second = try await house.pushmta(["run"])
            #expect(second.ending.status == 1)
            #expect(second.output.isEmpty)
            let lines = second.complaints.split(separator: "\n")
            #expect(lines.count == 1, "\(second.complaints)")
            #expect(lines.first?.hasPrefix("pushmta: ") == true)
            #expect(try await house.status().master?.pid == first.pid)

            try await house.importSubscribers(SyntheticSubscribers(100))
            let delivery = try await house.submit()
            try await house.settle(delivery)
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(100))
        }
    }
}
