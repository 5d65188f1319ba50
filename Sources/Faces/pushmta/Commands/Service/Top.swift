internal import ArgumentParser
internal import PushAPI

struct Top: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ShowStatus.self, PauseDelivery.self, ResumeDelivery.self] }

    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Watch the running master in a terminal.",
        discussion: """
            Accounts with their rate, what waits, errors and the last reason; deliveries under way with their progress. \
            The master alone is asked, as 'status' asks it; one that goes away is waited for. Keys: j, k or the arrows \
            select a delivery, g and G the first and the last; p pauses the selected one, or lets it go on; + and - change \
            the interval; q ends it. For scripts there is 'status --json'.
            """)

    /// The permitted intervals, in seconds.
    static let intervals = 0.25...3_600

    @Option(help: ArgumentHelp("Seconds between two looks.", valueName: "seconds"))
    var interval = 2.0

    @OptionGroup var config: ConfigurationOption

    func validate() throws {
        guard Self.intervals.contains(interval) else {
            throw ValidationError("--interval takes 0.25 to 3600 seconds.")
        }
    }

    func run() throws {
        guard TopTerminal.isThere else {
            throw OperationError(
                .usage, "top needs a terminal; 'pushmta status --json' says the same without one")
        }
        var session = try TopSession(try Instance(config), intervalSeconds: interval)
        try session.run()
    }
}
