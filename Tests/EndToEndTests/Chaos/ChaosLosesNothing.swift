import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(
        arguments: TestbedSettings.StoreEngine.allCases.filter { $0 == .sqlite || DatabaseServer.isInstalled }
    )
    func `random faults, dead tokens and kills of whatever there is lose nothing and wrong nobody`(
        engine: TestbedSettings.StoreEngine
    ) async throws {
        // `pushload chaos` is the long form, in which also every fault must have come, and children must have
        // followed their master soon.
        var scenario = ChaosScenario(seed: 20_261_121, devices: 1_000, kills: 5)
        scenario.faults = 12
        scenario.orphanLimit = Waiting.patience
        var settings = scenario.settings
        settings.store = engine
        try await withTestbed(settings) { testbed in
            let report = try await scenario.run(in: testbed)
            for finding in report.findings(wantsAllFaults: false) {
                #expect(finding.holds, "seed \(scenario.seed): \(finding)")
            }
            #expect(Set(report.kills) == Set(ChaosScenario.victims(on: engine)))
            #expect(report.chapters.reduce(0) { $0 + $1.audit.excluded } > 0)
        }
    }
}
