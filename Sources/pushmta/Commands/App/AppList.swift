internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct AppList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the applications.")

    @Option(help: "Only those of this service.", completion: .serviceNames)
    var service: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let apps = try Operations(config).carryOut(ListApps(service: service))
        guard !json.isWanted else { return try StandardOutput.json(apps) }
        var table = TextTable([
            "NAME", "SERVICE", "PLATFORM", "CONNECTOR", "ENVIRONMENT", "BUNDLE ID", "LABEL",
        ])
        for app in apps {
            table.append([
                app.name, app.service, app.platform.rawValue, app.connector.rawValue,
                app.environment.rawValue,
                app.bundleId, app.label,
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
