internal import ArgumentParser

struct Fuzz: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Send mutated requests, and see that the service stays as it is.",
        discussion: """
            Registrations, reports and API calls are mutated by a seed, in what they say and as HTTP, beside honest \
            ones that have to be answered as ever. Every assertion is printed with its numbers; requests that \
            something was wrong with are kept in files. With --api, schemathesis (PyPI) asks everything that the \
            service's OpenAPI document describes instead. Exit status 0: all of them hold.
            """)

    @Option(help: "The run's chance; the same one repeats its requests. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("Requests to send.", valueName: "count"))
    var requests = 1_000_000

    @Option(help: ArgumentHelp("Connections that are kept open.", valueName: "count"))
    var connections = 32

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    @Option(
        help: ArgumentHelp(
            "Have the API asked by schemathesis, in a virtual environment of Python that is made in this folder.",
            valueName: "folder"))
    var api: String?

    func validate() throws {
        guard (1_000...1_000_000_000).contains(requests) else {
            throw ValidationError("--requests takes 1000 to 1000000000.")
        }
        // The web module takes 1 000 connections, and lets those go first that wait.
        guard (1...500).contains(connections) else { throw ValidationError("--connections takes 1 to 500.") }
    }

    func run() async throws {
        let scenario = FuzzScenario(
            seed: seed ?? .random(in: 1...999_999), requests: requests, connections: connections)
        var settings = scenario.settings
        settings.store = store
        if let api {
            let schemathesis = Schemathesis(folder: api, seed: scenario.seed)
            return try await Testbed.use(settings) {
                try await schemathesis.run(in: $0) { Terminal.line($0) }
            }
        }
        Terminal.line(
            "seed       \(scenario.seed); again: pushload fuzz --seed \(scenario.seed) --requests \(requests) "
                + "--connections \(connections) --store \(store.rawValue)")
        try await Testbed.use(settings) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            Terminal.line(
                "\((Double(report.requests) / max(report.seconds, 0.001)).fixed(0)) requests a second")
            try report.findings.tell(seed: scenario.seed, after: report.seconds)
        }
    }
}
