internal import ArgumentParser

struct Switches: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switches",
        abstract: "Switch an app's connector in mid-delivery, there and back, and account for every message.",
        discussion:
            "Every assertion is printed with its numbers. Exit status 0: all of them hold, for both gateways."
    )

    @Option(help: ArgumentHelp("Subscribers of the app.", valueName: "count"))
    var devices = 1_000_000

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    @Option(help: "apple: HTTP/2 and the binary gateway; google: V2 and V1; both unless given.")
    var gateway: SwitchScenario.Gateway?

    func validate() throws {
        guard (10_000...10_000_000).contains(devices) else {
            throw ValidationError("--devices takes 10000 to 10000000.")
        }
    }

    func run() async throws {
        for gateway in gateway.map({ [$0] }) ?? SwitchScenario.Gateway.allCases {
            let scenario = SwitchScenario(gateway, devices: devices)
            Terminal.line("\(gateway.rawValue), \(devices) devices, \(store.rawValue)")
            var settings = scenario.settings
            settings.store = store
            let begin = ContinuousClock.now
            try await Testbed.use(settings) { testbed in
                let report = try await scenario.run(in: testbed) { Terminal.line($0) }
                try scenario.findings(report).tell(seed: 1, after: (ContinuousClock.now - begin).inSeconds)
            }
        }
    }
}

extension SwitchScenario.Gateway: ExpressibleByArgument {}
