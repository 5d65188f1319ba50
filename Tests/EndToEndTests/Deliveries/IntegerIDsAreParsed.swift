import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `an app that parses integer ids receives ids that it can parse and that do not reveal any counts`()
        async throws
    {
        let count = 1_000
        var settings = TestbedSettings()
        settings.messageIDFormat = "integer"
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            // The audit compares every _mId with the log. This test only checks that the log contains
            // numbers.
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            let ids = try await testbed.messageLog(delivery).compactMap { Int32($0.messageId) }
            #expect(Set(ids).count == count && ids.allSatisfy { $0 > 0 } && ids.contains { $0 > count })
        }
    }
}
