internal import ArgumentParser
internal import PushOperations

struct ServiceUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change what people call a service, or how much its devices are sent.",
        discussion: "Its name stays: delivery documents name it.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @Option(help: ArgumentHelp("What people call it.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "How many messages each device may be sent within a time, such as \"3 in 7d\"; \"none\": any number.",
            discussion: "Holds for what is prepared from now on.", valueName: "cap"))
    var atMost: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            UpdateService(name: name, label: label, frequencyCap: atMost))
        try StandardOutput.answer(service, json, "service \(service.name) updated")
    }
}
