import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `a request without an answer times out and is sent again with the same id`()
        async throws
    {
        let count = 2_000
        var settings = TestbedSettings()
        settings.requestTimeoutSeconds = 2
        settings.gateway.rules = "* silent every 400 times 4\n"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count).with { $0.unanswered = 4 })
            let attempts = try await testbed.messageLog(delivery).map(\.attempts).reduce(0, +)
            #expect(attempts == count + 4)
        }
    }
}
