import Testing
import pushload

extension EndToEnd.Chaos {
    @Test func `deliveries that are paused, stopped and sent again amid kills lose nothing`() async throws {
        // `pushload control` is the long form, and `ControlStoryTests` tell a simulated one many times.
        let scenario = ControlScenario(seed: 20_261_124, devices: 1_000, steps: 15)
        try await withTestbed(scenario.settings) { testbed in
            for finding in try await scenario.run(in: testbed).findings {
                #expect(finding.holds, "seed \(scenario.seed): \(finding)")
            }
        }
    }
}
