import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(
        arguments: HouseSettings.StoreEngine.allCases.filter { $0 == .sqlite || DatabaseServer.isInstalled })
    func `bad weather, dead tokens and kills of whatever there is lose nothing and wrong nobody`(
        engine: HouseSettings.StoreEngine
    ) async throws {
        // `pushload chaos` is the long form, in which also every fault must have come.
        var scenario = ChaosScenario(seed: 20_261_121, devices: 1_000, kills: 5)
        scenario.faults = 12
        var settings = scenario.settings
        settings.store = engine
        try await withHouse(settings) { house in
            let report = try await scenario.run(in: house)
            for finding in report.findings(wantsAllFaults: false) {
                #expect(finding.holds, "seed \(scenario.seed): \(finding)")
            }
            #expect(Set(report.kills) == Set(ChaosScenario.victims(on: engine)))
            #expect(report.chapters.reduce(0) { $0 + $1.ledger.excluded } > 0)
        }
    }
}
