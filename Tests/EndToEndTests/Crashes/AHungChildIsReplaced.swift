import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `a child that stops reporting is replaced, and another child sends its messages`() async throws
    {
        let count = 10_000
        var settings = KillScenario.settings(stopsAfter: [count / 4])
        settings.children = 1
        settings.childrenAtStart = 1
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let wedged = try await testbed.amidDelivery {
                let child = try #require(try await testbed.status().master?.children.first)
                testbed.stop(child: child.pid)
                return child
            }

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
