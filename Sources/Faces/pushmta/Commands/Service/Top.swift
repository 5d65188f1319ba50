internal import ArgumentParser
internal import PushAPI

struct Top: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ShowStatus.self, PauseDelivery.self, ResumeDelivery.self] }

    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Watch the running master in a terminal.",
        discussion: """
            Shows accounts with their rate, waiting messages, errors and most recent reason, and deliveries \
            in progress. The command queries only the master, as 'status' does; if the master ends, the \
            command waits for it. Keys: j, k and the arrow keys select a delivery; g and G select the first \
            and the last delivery; p pauses or resumes the selected delivery; + and - change the interval; q \
            quits. For scripts, use 'status --json'.

            Example: pushmta top --interval 5
            """)

    @Option(
        help: ArgumentHelp("Seconds between two updates.", valueName: "seconds"),
        transform: NumberArgument.within(Top.intervals))
    var interval = 2.0

    /// The permitted intervals, in seconds.
    static let intervals = 0.25...3_600

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        guard TopTerminal.isThere else {
            throw OperationError(
                .usage, "top requires a terminal; use 'pushmta status --json' without one")
        }
        var session = try TopSession(try Instance.served(config), intervalSeconds: interval)
        try session.run()
    }
}
