import Testing
import pushload

extension EndToEnd.Chaos {
    /// `pushload stalls` runs the same scenario for longer.
    @Test func `whatever gateways do, the engine makes progress or reports a cause within a minute`()
        async throws
    {
        let scenario = try StallScenario.with { ($0.seed, $0.phases, $0.holdSeconds) = (7, 4, 4) }
        try await expectThatAllHolds(in: scenario) { outcome in
            #expect(outcome.phases.count == 4)
            #expect(outcome.longestSilence <= StallScenario.patience, "\(outcome.phases)")
        }
    }
}
