internal import ArgumentParser

struct Control: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "control",
        abstract:
            "Pause, resume, stop and repeat deliveries at random, amid kills, and account for every message.",
        discussion:
            "Every assertion is printed with its numbers. Exit status 0: all of them hold, for all seeds.")

    @Option(help: "The first run's chance; the same one repeats it. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Runs, with seeds that follow one another.", valueName: "count"))
    var runs = 5

    @Option(help: ArgumentHelp("Devices of each delivery.", valueName: "count"))
    var devices = 5_000

    @Option(help: ArgumentHelp("Commands and kills of each run.", valueName: "count"))
    var steps = 40

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    func validate() throws {
        guard (1...10_000).contains(runs) else { throw ValidationError("--runs takes 1 to 10000.") }
        guard (100...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 100 to 1000000.")
        }
        guard (1...10_000).contains(steps) else { throw ValidationError("--steps takes 1 to 10000.") }
    }

    func run() async throws {
        let first = seed ?? .random(in: 1...999_999)
        for seed in first..<first + UInt64(runs) {
            let scenario = ControlScenario(seed: seed, devices: devices, steps: steps)
            Terminal.line(
                "seed       \(seed); again: pushload control --seed \(seed) --runs 1 --devices \(devices) "
                    + "--steps \(steps) --store \(store.rawValue)")
            var settings = scenario.settings
            settings.store = store
            let begin = ContinuousClock.now
            try await Testbed.use(settings) { testbed in
                let report = try await scenario.run(in: testbed) { Terminal.line($0) }
                try report.findings.tell(seed: seed, after: (ContinuousClock.now - begin).inSeconds)
            }
        }
    }
}
