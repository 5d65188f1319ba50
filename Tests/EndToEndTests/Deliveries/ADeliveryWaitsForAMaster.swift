import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery that was accepted while no master was running is sent by the next master`()
        async throws
    {
        let count = 1_000
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let status = try await testbed.pushmta(["status"])
            #expect(status.ending.status == 1)
            try await testbed.startEngine()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
        }
    }
}
