internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct ServiceList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the services.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let catalogue = try Instance(config).openStore().catalogue
        let services = try catalogue.services()
        let apps = try catalogue.apps()
        func names(of service: Service) -> [String] { apps.filter { $0.service == service.id }.map(\.name) }
        guard !json.isWanted else {
            return try StandardOutput.json(.array(services.map { ServiceView.json($0, apps: names(of: $0)) }))
        }
        var table = TextTable(["NAME", "LABEL", "APPS"])
        for service in services {
            table.append([service.name, service.label, names(of: service).joined(separator: ", ")])
        }
        try StandardOutput.lines(table.lines)
    }
}
