import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a rehearsal performs every step except sending`() async throws {
        let count = 2_000
        var settings = TestbedSettings()
        settings.verifyMode = true
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let report = try await testbed.settle(delivery)
            #expect(report.state == "finished")
            #expect(report.counts.sent == count)
            try await testbed.stopGateway()
            #expect(try testbed.gatewayRequests().isEmpty)
            #expect(try testbed.gatewaySummary().connections == 0)
        }
    }
}
