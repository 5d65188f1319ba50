import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `an app that parses integers gets the message's number within the delivery`() async throws {
        let count = 1_000
        var settings = TestbedSettings()
        settings.messageIDFormat = "integer"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            // The audit holds every _mId against the log; what remains is that the log has numbers.
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            let numbers = try await testbed.messageLog(delivery).compactMap { Int($0.messageId) }.sorted()
            let first = try #require(numbers.first)
            #expect(numbers == Array(first..<first + count))
        }
    }
}
