import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `while the gateway is down messages wait, and when it is up they are sent once`() async throws
    {
        let count = 2_000
        try await withHouse { house in
            try await house.stopGateway()
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let account = try await Waiting.until("the account to be held back") {
                try await house.status().master?.accounts.first { $0.state == "closed" }
            }
            #expect(!account.reason.isEmpty)
            let waiting = try await house.wait(for: delivery, "all messages to wait") {
                $0.counts.pending == count
            }
            #expect(waiting.counts.failed == 0 && waiting.counts.sent == 0)

            try await house.startGateway()
            try await house.settle(delivery)
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))
        }
    }
}
