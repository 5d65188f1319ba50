internal import ArgumentParser
internal import PushOperations

struct ServiceCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an information service of type mobile app.")

    @Argument(help: "The service's name, unique in the instance.")
    var name: ObjectName

    @OptionGroup var options: ServiceOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(
            CreateService(name: name.text, label: options.label, options.complete))
        try StandardOutput.answer(service, json, "service \(service.name) created")
    }
}
