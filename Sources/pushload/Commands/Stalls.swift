internal import ArgumentParser

struct Stalls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stalls",
        abstract: "Put gateways that harm by doing nothing before the engine, and listen whether it says so.",
        discussion: """
            APNs and FCM change their behaviour phase by phase, by a seed, while work is due. Exit status 0: \
            no minute passed without progress or a reported cause, and in the end every device was reached, \
            or a gateway left open whether it accepted the message.
            """)

    @Option(help: "The run's chance; the same one repeats it. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("How often the gateways change.", valueName: "count"))
    var phases = 12

    @Option(
        help: ArgumentHelp("The longest that a phase goes on after something was told.", valueName: "seconds")
    )
    var holdSeconds = 75

    func validate() throws {
        guard (1...10_000).contains(phases) else { throw ValidationError("--phases takes 1 to 10000.") }
        guard (1...3_600).contains(holdSeconds) else {
            throw ValidationError("--hold-seconds takes 1 to 3600.")
        }
    }

    func run() async throws {
        let scenario = StallScenario(
            seed: seed ?? .random(in: 1...999_999), phases: phases, holdSeconds: holdSeconds)
        Terminal.line(
            "seed       \(scenario.seed); again: pushload stalls --seed \(scenario.seed) --phases \(phases) "
                + "--hold-seconds \(holdSeconds)")
        try await Testbed.use(scenario.settings) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line($0) }
            let all = 2 * scenario.devices * phases
            Terminal.line(
                "\(report.sent) of \(all) sent in the end, \(report.perhapsSent) perhaps; silent for "
                    + "\(report.longestSilence.inSeconds.fixed(1)) s at the longest")
            guard report.sent + report.perhapsSent == all else {
                throw LoadError(.wrong("seed \(scenario.seed): somebody was not reached"))
            }
        }
    }
}
