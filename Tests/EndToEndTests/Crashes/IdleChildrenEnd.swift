import Testing
import pushload

extension EndToEnd.Crashes {
    /// The log is checked instead of the status: on a busy machine a child may start and end between two
    /// queries.
    @Test func `a child without work ends, and the master starts another child when there is work`()
        async throws
    {
        let count = 500
        var settings = TestbedSettings()
        settings.idleChildSeconds = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            _ = try await Waiting.until("the first child to leave", within: .seconds(120)) {
                testbed.logLines("child 1 (process").contains { $0.contains(" ended: ") } ? true : nil
            }
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            #expect(!testbed.logLines("child 2 started as process").isEmpty)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
