import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `after kill -9 of the master in mid-delivery, a new master resumes sending immediately`()
        async throws
    {
        let count = 20_000
        let scenario = try RecoveryScenario.with { $0.messages = count }
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            // The new master does not wait for a lease or lock of the killed master. `pushload recover`
            // measures the time of the recovery.
            #expect(report.untilFullWindow <= .seconds(20))
            #expect(report.pending > count / 2)
        }
    }
}
