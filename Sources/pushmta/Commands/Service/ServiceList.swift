internal import ArgumentParser
internal import PushOperations

struct ServiceList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the services.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let services = try Operations(config).carryOut(ListServices())
        guard !json.isWanted else { return try StandardOutput.json(services) }
        var table = TextTable(["NAME", "LABEL", "AT MOST", "APPS"])
        for service in services {
            let cap = service.frequencyCap ?? ""
            table.append([service.name, service.label, cap, service.apps.joined(separator: ", ")])
        }
        try StandardOutput.lines(table.lines)
    }
}
