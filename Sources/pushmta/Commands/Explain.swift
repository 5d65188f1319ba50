internal import ArgumentParser
internal import PushOperations

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say which settings hold for an application's account and why, and how it does.",
        discussion: """
            An account is a connector, an environment and a credential: what has its own connections, quota and \
            breaker. Each setting is shown with the place that it comes from. What the account does now is known \
            where a master runs.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var app: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let explanation = try Operations(config).carryOut(ExplainApp(app: app))
        if let warning = explanation.credential.warning { StandardError.line("warning: \(warning)") }
        if json.isWanted { return try StandardOutput.json(explanation) }
        try StandardOutput.lines(explanation.lines)
    }
}
