import Testing
import pushload

extension EndToEnd.Stores {
    @Test
    func `days of deliveries with retention enabled leave the size of the store and the memory unchanged`()
        async throws
    {
        let scenario = try WeekScenario.with {
            ($0.deliveries, $0.devices, $0.daySeconds, $0.days) = (24, 2_000, 1, 3)
        }
        try await expectThatAllHolds(in: scenario) { dailySamples in #expect(dailySamples.count == 3) }
    }
}
