internal import ArgumentParser

struct Rates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rates",
        abstract: "Measure how deliveries keep to their rates, and how soon a large one is paused.",
        discussion: """
            Each rate is a run of its own; its gateway counts the requests of each ten seconds. Exit status 0: all windows \
            are within a twentieth of their rate, each command to a large delivery ends within a second, and one of high \
            priority is sent beside it within that time.
            """)

    @Option(help: ArgumentHelp("Requests a second, with commas.", valueName: "counts"))
    var rates = "50,2000,50000"

    @Option(help: ArgumentHelp("How long each delivery with a rate takes.", valueName: "s"))
    var seconds = 30

    @Option(help: ArgumentHelp("Messages of the delivery that is paused; 0: none is.", valueName: "count"))
    var paused = 10_000_000

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    private static let tolerance = 0.05
    private static let patienceSeconds = 1.0

    private var wanted: [Int] { rates.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        guard wanted.count == rates.split(separator: ",").count,
            wanted.allSatisfy((1...1_000_000).contains)
        else { throw ValidationError("--rates takes numbers from 1 to 1000000, with commas.") }
        guard (12...3_600).contains(seconds) else { throw ValidationError("--seconds takes 12 to 3600.") }
        guard wanted.allSatisfy({ $0 * seconds <= 20_000_000 }) else {
            throw ValidationError("--rates times --seconds is more than 20000000 messages.")
        }
        guard (0...20_000_000).contains(paused) else {
            throw ValidationError("--paused takes 0 to 20000000.")
        }
    }

    func run() async throws {
        var broken: [String] = []
        for rate in wanted {
            let scenario = RateScenario(rate: rate, seconds: seconds)
            let report = try await Testbed.use(furnished(scenario.settings)) {
                try await scenario.run(in: $0)
            }
            let range = report.range
            let holds = !report.windows.isEmpty && report.deviation <= Self.tolerance
            Terminal.line(
                "\(holds ? "holds " : "BROKEN")  \(rate)/s: \(range.lowerBound.fixed(1)) to "
                    + "\(range.upperBound.fixed(1))/s in \(report.windows.count) windows of 10 s, "
                    + "at most \((report.deviation * 100).fixed(1)) % off; \(report.messages) messages")
            if !holds {
                broken.append("\(rate)/s")
                Terminal.line(
                    "        by the second: \(report.counted.map(String.init).joined(separator: " "))")
            }
        }
        if paused > 0 {
            let scenario = PauseScenario(messages: paused)
            let steps = try await Testbed.use(furnished(scenario.settings)) { testbed in
                try await scenario.run(in: testbed) { Terminal.line($0) }
            }
            for step in steps {
                let holds = step.seconds <= Self.patienceSeconds
                Terminal.line(
                    "\(holds ? "holds " : "BROKEN")  \(step.what): \((step.seconds * 1_000).fixed(0)) ms; \(step.summary)"
                )
                if !holds { broken.append(step.what) }
            }
        }
        guard broken.isEmpty else { throw LoadError(.wrong(broken.joined(separator: "; "))) }
    }

    private func furnished(_ settings: TestbedSettings) -> TestbedSettings {
        var settings = settings
        settings.store = store
        return settings
    }
}
