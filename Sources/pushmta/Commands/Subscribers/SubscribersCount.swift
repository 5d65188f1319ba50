internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct SubscribersCount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count the subscribers of an application.")

    @Option(help: "The application's name.")
    var app: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try Instance(config).openStore()
        let app = try store.catalogue.requireApp(named: app)
        let count = try store.subscribers.count(of: app.id)
        guard !json.isWanted else {
            return try StandardOutput.json(["app": .string(app.name), "subscribers": .integer(count)])
        }
        try StandardOutput.line(String(count))
    }
}
