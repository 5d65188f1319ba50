internal import ArgumentParser

struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Let everything go wrong at once, and hold the two ends against each other.",
        discussion: """
            APNs, FCM and the old binary gateway with random faults, dead tokens, kills of children, masters and both, \
            and of the store's server where it has one, all by a seed. Every assertion is printed with its numbers. Exit status 0: all of them hold.
            """)

    @Option(help: "The run's chance; the same one repeats it. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Devices of each of the three apps.", valueName: "count"))
    var devices = 20_000

    @Option(help: ArgumentHelp("How often to kill something.", valueName: "count"))
    var kills = 50

    @Option(help: ArgumentHelp("Random faults for each gateway.", valueName: "count"))
    var faults = 60

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    @Flag(help: "A fault of the list that never happened is no failure, as in a short run.")
    var allowsMissingFaults = false

    func validate() throws {
        guard (500...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 500 to 1000000.")
        }
        guard (1...10_000).contains(faults) else { throw ValidationError("--faults takes 1 to 10000.") }
        guard (0...1_000).contains(kills) else { throw ValidationError("--kills takes 0 to 1000.") }
    }

    func run() async throws {
        var scenario = ChaosScenario(seed: seed ?? .random(in: 1...999_999), devices: devices, kills: kills)
        scenario.faults = faults
        Terminal.line(
            "seed       \(scenario.seed); again: pushload chaos --seed \(scenario.seed) --devices \(devices) "
                + "--kills \(kills) --faults \(faults) --store \(store.rawValue)")
        var settings = scenario.settings
        settings.store = store
        try await Testbed.use(settings) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            try report.findings(wantsAllFaults: !allowsMissingFaults)
                .tell(seed: scenario.seed, after: report.seconds)
        }
    }
}

extension TestbedSettings.StoreEngine: ExpressibleByArgument {}
