import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func
        `children that cannot start are told of once, spawned slowly, and missed no longer than they are missing`()
        async throws
    {
        let count = 1_000
        var settings = TestbedSettings()
        settings.childrenAtStart = 0
        try await withTestbed(settings) { testbed in
            testbed.expectedComplaints = ["a child ended before it was of any use"]
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            // The master starts children from the file that it was started from, so this one is its own copy.
            let program = try testbed.copyOfEngine()
            try testbed.launchEngine(program.path)
            try await testbed.engineIsReady()
            try program.hide()
            let delivery = try await testbed.submit()
            let line = "a child ended before it was of any use"
            _ = try await Waiting.until("the engine to say so") {
                testbed.engineLog.contains(line) ? true : nil
            }
            let waiting = try await testbed.wait(for: delivery, "all messages to wait") {
                $0.counts.pending == count
            }
            #expect(waiting.counts.failed == 0)

            try program.show()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(testbed.engineLog.split(separator: "\n").count { $0.contains(line) } == 1)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
