internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct TemplateList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the templates, or those of a service.")

    @Option(help: ArgumentHelp("Those of this service.", valueName: "name"), completion: .serviceNames)
    var service: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let templates = try Operations(config).carryOut(ListTemplates(service: service))
        guard !json.isWanted else { return try StandardOutput.json(templates) }
        var table = TextTable(
            ["SERVICE", "NAME", "VERSION", "KEPT", "SAVED"], numeric: ["VERSION", "KEPT"])
        for template in templates {
            table.append([
                template.service, template.name, "\(template.version)", "\(template.versions)",
                template.created.utcText,
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
