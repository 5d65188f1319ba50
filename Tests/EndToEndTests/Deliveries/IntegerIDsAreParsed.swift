import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `an app that parses integers gets ids that it can parse and nobody can count`() async throws {
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
            let ids = try await testbed.messageLog(delivery).compactMap { Int32($0.messageId) }
            #expect(Set(ids).count == count && ids.allSatisfy { $0 > 0 } && ids.contains { $0 > count })
        }
    }
}
