internal import ArgumentParser
internal import Glibc

struct WebRates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Measure what the web module answers a second, against a bare server.",
        discussion: """
            Reports of devices, registrations and single messages by wrk (Debian's package of that name) over connections \
            that are kept, no delivery running, each answered after its commit; by turns with a bare Hummingbird that \
            says hello. The tool shares the machine's cores. Prints a table for Docs/Measurements.md. Exit status 0: \
            everything was answered as it should be; rates are told and not judged.
            """)

    @Option(help: ArgumentHelp("How long each is asked.", valueName: "seconds"))
    var seconds = 10

    @Option(help: ArgumentHelp("Connections that are kept open.", valueName: "count"))
    var connections = 64

    @Option(help: ArgumentHelp("Messages that devices report.", valueName: "count"))
    var devices = 50_000

    @Option(help: ArgumentHelp("How often all of it is measured.", valueName: "count"))
    var rounds = 3

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    func validate() throws {
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 3600.") }
        guard (1...900).contains(connections) else { throw ValidationError("--connections takes 1 to 900.") }
        guard (1...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 1 to 1000000.")
        }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds takes 1 to 100.") }
        guard unsafe access(WebRatesScenario.tool, X_OK) == 0 else {
            throw ValidationError("\(WebRatesScenario.tool) is not there: apt-get install wrk")
        }
    }

    func run() async throws {
        let scenario = WebRatesScenario(
            seconds: seconds, connections: connections, devices: devices, rounds: rounds)
        var settings = scenario.settings
        settings.store = store
        try await Testbed.use(settings) { testbed in
            let bad = try await scenario.run(in: testbed) { Terminal.line($0) }
            guard bad == 0 else {
                throw LoadError(.wrong("\(bad) requests were not answered as they should be"))
            }
        }
    }
}
