internal import ArgumentParser
internal import PushModel
internal import PushStore

struct ServiceShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one service and its apps.")

    @Argument(help: "The service's name.")
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let catalogue = try Instance(config).openStore().catalogue
        let service = try catalogue.requireService(named: name)
        let apps = try catalogue.apps().filter { $0.service == service.id }.map(\.name)
        guard !json.isWanted else { return try StandardOutput.json(ServiceView.json(service, apps: apps)) }
        try StandardOutput.lines(
            FieldList([
                ("name", service.name), ("label", service.label), ("apps", apps.joined(separator: ", ")),
            ]).lines)
    }
}
