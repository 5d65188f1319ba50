internal import ArgumentParser
internal import PushOperations

struct ServiceCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an information service of type mobile app.")

    @Argument(help: "The service's name, unique in the instance.")
    var name: ObjectName

    @Option(help: ArgumentHelp("What people call it.", discussion: "Default: the name.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "How many messages each device may be sent within a time, such as \"3 in 7d\".",
            discussion: "Whoever has had as many is left out of deliveries. Default: any number.",
            valueName: "cap"))
    var atMost: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            CreateService(name: name.text, label: label, frequencyCap: atMost))
        try StandardOutput.answer(service, json, "service \(service.name) created")
    }
}
