import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a rehearsal does everything but send`() async throws {
        let count = 2_000
        var settings = HouseSettings()
        settings.verifyMode = true
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let report = try await house.settle(delivery)
            #expect(report.state == "finished")
            #expect(report.counts.sent == count)
            try await house.stopGateway()
            #expect(try house.gatewayRequests().isEmpty)
            #expect(try house.gatewaySummary().connections == 0)
        }
    }
}
