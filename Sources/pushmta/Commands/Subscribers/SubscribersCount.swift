internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct SubscribersCount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count the subscribers of an application, or of each.",
        discussion: """
            Those that deliveries leave out are told apart: 'quarantined', because of what gateways said of their \
            tokens; 'disabled', because a feedback service said that the app is gone from the device.
            """)

    @Option(help: ArgumentHelp("The application's name.", discussion: "Default: all of them."))
    var app: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try Instance(config).openStore()
        guard let app else {
            let counts = try store.catalogue.apps().map { try SubscriberCounts(of: $0, in: store) }
            if json.isWanted { return try StandardOutput.json(.array(counts.map(\.json))) }
            return try StandardOutput.lines(SubscriberCounts.table(counts).lines)
        }
        let counts = try SubscriberCounts(of: try store.catalogue.requireApp(named: app), in: store)
        if json.isWanted { try StandardOutput.json(counts.json) } else { try StandardOutput.line(counts.text) }
    }
}
