import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `hosts that are killed, frozen and cut off lose nothing, and none sends without its lease`()
        async throws
    {
        // `pushload hosts` is the long form, with the product's own times, in which also quotas must be kept to the
        // twentieth.
        var scenario = HostsScenario(seed: 20_261_125, devices: 2_000)
        scenario.takeOverMilliseconds = 4_000
        scenario.freezeSeconds = 6
        try await withTestbed(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed)
            for finding in report.findings(isBusy: true) {
                #expect(finding.holds, "seed \(scenario.seed): \(finding)")
            }
            #expect(Set(report.strikes.map(\.fault)) == Set(HostsScenario.Fault.usual))
        }
    }
}
