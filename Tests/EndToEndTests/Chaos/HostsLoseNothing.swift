import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `if hosts are killed, frozen and cut off, no message is lost, and no host sends without its lease`()
        async throws
    {
        // `pushload hosts` runs the same scenario for longer. It uses the times of the product and also
        // requires that quotas are kept to within a twentieth.
        let scenario = try HostsScenario.with {
            ($0.seed, $0.devices, $0.isBusy) = (20_261_125, 2_000, true)
            ($0.takeOverMilliseconds, $0.freezeSeconds) = (4_000, 6)
        }
        try await expectThatAllHolds(in: scenario) { report in
            #expect(Set(report.injectedFaults.map(\.fault)) == Set(HostsScenario.Fault.usual))
        }
    }
}
