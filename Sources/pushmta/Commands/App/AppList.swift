internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct AppList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the applications.")

    @Option(help: "Only those of this service.")
    var service: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let catalogue = try Instance(config).openStore().catalogue
        let wanted = try service.map { try catalogue.requireService(named: $0).id }
        let services = Dictionary(try catalogue.services().map { ($0.id, $0.name) }) { first, _ in first }
        let apps = try catalogue.apps().filter { wanted == nil || $0.service == wanted }
        func serviceName(_ app: App) -> String { services[app.service] ?? "" }
        guard !json.isWanted else {
            return try StandardOutput.json(
                .array(apps.map { .object(AppView.members($0, service: serviceName($0))) }))
        }
        var table = TextTable(["NAME", "SERVICE", "PLATFORM", "CONNECTOR", "ENVIRONMENT", "BUNDLE ID"])
        for app in apps {
            let settings = app.settings
            table.append([
                settings.name, serviceName(app), settings.platform.rawValue, settings.connector.rawValue,
                settings.environment.rawValue, settings.bundleID,
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
