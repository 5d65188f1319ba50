internal import ArgumentParser
internal import PushOperations

struct SubscribersCount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count the subscribers of an application, or of each.",
        discussion: """
            Those that deliveries leave out are told apart: 'quarantined', because of what gateways said of their \
            tokens; 'disabled', because a feedback service said that the app is gone from the device.
            """)

    @Option(
        help: ArgumentHelp("The application's name.", discussion: "Default: all of them."),
        completion: .appNames)
    var app: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let counts = try Operations(config).carryOut(CountSubscribers(app: app))
        guard app != nil, let only = counts.first else {
            if json.isWanted { return try StandardOutput.json(counts) }
            return try StandardOutput.lines(SubscriberCounts.table(counts).lines)
        }
        if json.isWanted { try StandardOutput.json(only) } else { try StandardOutput.line(only.text) }
    }
}
