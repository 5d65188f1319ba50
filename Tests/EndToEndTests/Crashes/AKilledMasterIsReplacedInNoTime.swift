import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `after kill -9 of the master amid a delivery, a new run sends again without waiting for anything`()
        async throws
    {
        let count = 20_000
        let scenario = try RecoveryScenario.with { $0.messages = count }
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            // No lease or lock of the killed one is waited for; `pushload recover` says how soon it is.
            #expect(report.untilFullWindow <= .seconds(20))
            #expect(report.pending > count / 2)
        }
    }
}
