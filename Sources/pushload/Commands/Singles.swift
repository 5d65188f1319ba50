internal import ArgumentParser

struct Singles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "singles",
        abstract:
            "Measure single messages beside a large delivery, and a delivery beside reports of devices.",
        discussion: """
            Single messages by the API, from being asked for to their gateway's answer: with nothing beside them, and \
            beside a delivery of the same app. Then the rate of a delivery beside reports, as a share of its rate alone. \
            Exit status 0: everything was answered as it should be; times are told and not judged.
            """)

    @Option(help: ArgumentHelp("Messages of each large delivery.", valueName: "count"))
    var messages = 1_000_000

    @Option(help: ArgumentHelp("Single messages with nothing beside them.", valueName: "count"))
    var singles = 2_000

    @Option(help: ArgumentHelp("Single messages a second.", valueName: "count"))
    var singlesPerSecond = 100

    @Option(help: ArgumentHelp("Reports of devices a second, beside a delivery.", valueName: "count"))
    var reportsPerSecond = 2_000

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, from Debian's package.")
    var store = TestbedSettings.usualStore

    func validate() throws {
        guard (10_000...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 10000 to 10000000.")
        }
        guard (100...1_000_000).contains(singles) else {
            throw ValidationError("--singles takes 100 to 1000000.")
        }
        guard (1...2_000).contains(singlesPerSecond) else {
            throw ValidationError("--singles-per-second takes 1 to 2000.")
        }
        guard (1...20_000).contains(reportsPerSecond) else {
            throw ValidationError("--reports-per-second takes 1 to 20000.")
        }
    }

    func run() async throws {
        let scenario = SinglesScenario(
            messages: messages, singles: singles, singlesPerSecond: singlesPerSecond,
            reportsPerSecond: reportsPerSecond)
        var settings = scenario.settings
        settings.store = store
        try await Testbed.use(settings) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            Self.tell("idle", report.idle)
            Self.tell("beside a delivery", report.beside)
            Terminal.line(
                "delivery: alone \(report.alone.fixed(0))/s, beside single messages \(report.besideSingles.fixed(0))/s, "
                    + "beside \(report.reportsAnswered.fixed(0)) reports/s \(report.besideReports.fixed(0))/s: "
                    + "\((report.shareBesideReports * 100).fixed(1)) %")
            guard report.bad == 0 else {
                throw LoadError(.wrong("\(report.bad) requests were not answered as they should be"))
            }
        }
    }

    private static func tell(_ what: String, _ times: [Double]) {
        func at(_ share: Double) -> String {
            times.isEmpty ? "none" : times[Int(Double(times.count - 1) * share)].fixed(1)
        }
        Terminal.line(
            "single messages, \(what): \(times.count), from asking to the gateway p50 \(at(0.5)) ms, p99 \(at(0.99)) ms, "
                + "longest \(at(1)) ms")
    }
}
