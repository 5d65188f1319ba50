import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `after kill -9 of the master in mid-delivery, a new run resumes sending without any wait`()
        async throws
    {
        let count = 20_000
        let scenario = try RecoveryScenario.with { $0.messages = count }
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            // The new master waits for no lease or lock of the killed one. `pushload recover` measures how
            // long recovery takes.
            #expect(report.untilFullWindow <= .seconds(20))
            #expect(report.pending > count / 2)
        }
    }
}
