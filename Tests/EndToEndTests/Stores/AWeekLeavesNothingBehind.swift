import Testing
import pushload

extension EndToEnd.Stores {
    @Test func `days of deliveries with retention on leave store and memory as they were`() async throws {
        var scenario = WeekScenario(deliveries: 24, devices: 2_000, daySeconds: 1)
        scenario.days = 3
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            #expect(report.trouble == nil && report.evenings.count == 3)
        }
    }
}
