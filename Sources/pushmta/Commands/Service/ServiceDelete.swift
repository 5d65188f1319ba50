internal import ArgumentParser
internal import PushOperations

struct ServiceDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a service that has no apps.",
        discussion: "Its templates go with it; logs of past deliveries stay.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let deleted = try Operations(config).carryOut(DeleteService(name: name))
        try StandardOutput.answer(deleted, json, "service \(deleted.name) deleted")
    }
}
