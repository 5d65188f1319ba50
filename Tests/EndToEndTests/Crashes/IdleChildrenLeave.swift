import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a child without work leaves, and another is spawned when there is some`() async throws {
        let count = 500
        var settings = TestbedSettings()
        settings.idleChildSeconds = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            let first = try await testbed.master("the first child") { $0.children.first }
            try await testbed.master("the child to leave") { $0.children.isEmpty ? true : nil }
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            let second = try #require(try await testbed.status().master?.children.first)
            #expect(second.generation > first.generation)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
