internal import ArgumentParser
internal import PushOperations

struct ServiceUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change what people call a service, or how much its devices are sent.",
        discussion: "Its name stays: delivery documents name it.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var options: ServiceOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            UpdateService(name: name, label: options.label, options.change))
        try StandardOutput.answer(service, json, "service \(service.name) updated")
    }
}
