import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a child that says nothing any more is replaced, and what it had is sent by another`()
        async throws
    {
        let count = 10_000
        var settings = KillScenario.settings()
        settings.children = 1
        settings.childrenAtStart = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await testbed.wait(for: delivery, "a part to be sent") { $0.counts.sent >= 2_000 }
            let wedged = try #require(try await testbed.status().master?.children.first)
            testbed.stop(child: wedged.pid)

            let report = try await testbed.settle(delivery)
            #expect(report.counts.sent == count)
            #expect(!ProcessTable.isAlive(wedged.pid))
            try await testbed.stopEngine()
            let audit = try await testbed.audit(of: delivery)
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= settings.capacity)
        }
    }
}
