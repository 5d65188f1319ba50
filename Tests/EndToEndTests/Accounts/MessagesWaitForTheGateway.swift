import Testing
import pushload

extension EndToEnd.Accounts {
    @Test func `messages wait while the gateway is down, and are sent once when it is up`() async throws {
        let count = 2_000
        try await withTestbed { testbed in
            try await testbed.stopGateway()
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let account = try await testbed.account(in: "waiting")
            #expect(!account.reason.isEmpty)
            let waiting = try await testbed.wait(for: delivery, "all messages to wait") {
                $0.counts.pending == count
            }
            #expect(waiting.counts.failed == 0 && waiting.counts.sent == 0)

            try await testbed.startGateway()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
