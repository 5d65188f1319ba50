import Testing
import pushload

/// Tests what all scenarios have in common: their options, which are checked and printed from one
/// declaration.
@Suite struct AScenarioSaysHowItIsRepeated {
    @Test func `the printed command line has all options and recreates the same scenario`() throws {
        let scenario = try ChaosScenario.with {
            ($0.seed, $0.devices, $0.kills, $0.allowsMissingFaults) = (7, 600, 3, true)
            $0.store = .sqlite
        }
        let line = scenario.commandLine
        #expect(
            line == "pushload chaos --seed 7 --devices 600 --kills 3 --faults 60 --store sqlite "
                + "--allows-missing-faults")
        #expect(try parsed(line, as: ChaosScenario.self).commandLine == line)
        let hosts = try HostsScenario.with { ($0.seed, $0.faults) = (1, [.kill, .end]) }
        #expect(hosts.commandLine.contains("--faults kill,end"))
        #expect(try parsed(hosts.commandLine, as: HostsScenario.self).commandLine == hosts.commandLine)
    }

    @Test func `an unspecified seed differs from run to run`() throws {
        let seeds = try (0..<20).map { _ in try StallScenario.with().seed.number }
        #expect(Set(seeds).count > 1)
    }

    @Test(arguments: [
        ["--devices", "499"], ["--devices", "1000001"], ["--kills", "-1"], ["--faults", "0"],
        ["--seed", "x"],
    ])
    func `a value outside its limits is refused`(words: [String]) {
        #expect(throws: (any Error).self) { try ChaosScenario.with(words) }
    }

    /// The scenarios with the default values of all their options.
    @Test func `the default values of every scenario are within their limits`() throws {
        let scenarios: [any Scenario.Type] = [
            ChaosScenario.self, ControlScenario.self, FleetScenario.self, FuzzScenario.self,
            HostsScenario.self,
            NeighbourScenario.self, RateScenario.self, RecoveryScenario.self, StallScenario.self,
            SwitchScenario.self, WeekScenario.self,
        ]
        func make<Told: Scenario>(_: Told.Type) throws { _ = try Told.with() }
        for scenario in scenarios { try make(scenario) }
    }

    @Test func `several runs have consecutive seeds, and each run can be repeated separately`() throws {
        let parts = try ControlScenario.with { $0.seed = 41 }.parts
        #expect(parts.map(\.seed.number) == [41, 42, 43, 44, 45])
        #expect(parts.allSatisfy { $0.commandLine.contains("--runs 1 ") })
        #expect(try SwitchScenario.with { $0.gateway = nil }.parts.map(\.gateway) == [.apple, .google])
        let store = TestbedSettings.usualStore
        #expect(
            try RateScenario.with(["--rates", "50,100", "--paused", "7"]).parts.map(\.commandLine) == [
                "pushload rates --rates 50 --seconds 30 --paused 0 --store \(store)",
                "pushload rates --rates 100 --seconds 30 --paused 0 --store \(store)",
                "pushload rates --rates '' --seconds 30 --paused 7 --store \(store)",
            ])
    }

    private func parsed<Told: Scenario>(_ line: String, as: Told.Type) throws -> Told {
        try Told.with(line.split(separator: " ").dropFirst(2).map(String.init))
    }
}
