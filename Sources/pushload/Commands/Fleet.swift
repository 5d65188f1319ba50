internal import ArgumentParser

struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Let devices register, receive, report and click, and hold what they know against the API.",
        discussion: """
            Half of the devices are of iOS, half of Android; they send what the SDKs send, get their notifications from \
            the synthetic gateways and do with them what a seed says. The service is killed by turns while they \
            register, while it sends and while they report; what is not answered is asked again. Every assertion is \
            printed with its numbers. Exit status 0: all of them hold.
            """)

    @Option(help: "The run's chance; the same one repeats it. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Devices of both apps together.", valueName: "count"))
    var devices = 100_000

    @Option(help: ArgumentHelp("How often to kill the service.", valueName: "count"))
    var kills = 0

    @Option(help: ArgumentHelp("Connections that all devices share.", valueName: "count"))
    var connections = 64

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    func validate() throws {
        guard (100...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 100 to 1000000.")
        }
        guard (0...100).contains(kills), kills <= devices / 20 else {
            throw ValidationError("--kills takes 0 to 100, and no more than a twentieth of the devices.")
        }
        // The web module takes 1 000, and ends idle ones beyond that.
        guard (1...900).contains(connections) else {
            throw ValidationError("--connections takes 1 to 900.")
        }
    }

    func run() async throws {
        var scenario = FleetScenario(seed: seed ?? .random(in: 1...999_999), devices: devices, kills: kills)
        scenario.connections = connections
        Terminal.line(
            "seed       \(scenario.seed); again: pushload fleet --seed \(scenario.seed) --devices \(devices) "
                + "--kills \(kills) --connections \(connections) --store \(store.rawValue)")
        var settings = scenario.settings
        settings.store = store
        try await Testbed.use(settings) { testbed in
            let start = ContinuousClock.now
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            try report.findings.tell(seed: scenario.seed, after: (ContinuousClock.now - start).inSeconds)
        }
    }
}
