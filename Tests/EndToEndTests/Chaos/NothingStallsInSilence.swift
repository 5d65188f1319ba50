import Testing
import pushload

extension EndToEnd.Chaos {
    /// `pushload stalls` is the long form.
    @Test func `whatever gateways do, within a minute there is progress or a told cause`() async throws {
        let seed: UInt64 = 7
        let scenario = StallScenario(seed: seed, phases: 4, holdSeconds: 4)
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            #expect(report.phases.count == 4)
            #expect(report.longestSilence <= StallScenario.patience, "seed \(seed): \(report.phases)")
            let all = 2 * scenario.devices * scenario.phases
            #expect(report.sent + report.perhapsSent == all, "seed \(seed): \(report.phases)")
        }
    }
}
