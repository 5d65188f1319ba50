import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(
        arguments: TestbedSettings.StoreEngine.allCases.filter { $0 == .sqlite || DatabaseServer.isInstalled }
    )
    func `random faults, dead tokens and kills of any process lose no message and harm no device`(
        engine: TestbedSettings.StoreEngine
    ) async throws {
        // `pushload chaos` runs the same scenario for longer. It also requires that every fault occurred and
        // that children ended soon after their master.
        let scenario = try ChaosScenario.with {
            ($0.seed, $0.devices, $0.kills, $0.faults) = (20_261_121, 1_000, 5, 12)
            ($0.orphanLimit, $0.allowsMissingFaults, $0.store) = (Waiting.patience, true, engine)
        }
        try await expectThatAllHolds(in: scenario) { report in
            #expect(Set(report.kills) == Set(ChaosScenario.victims(on: engine)))
            #expect(report.chapters.reduce(0) { $0 + $1.audit.excluded } > 0)
        }
    }
}
