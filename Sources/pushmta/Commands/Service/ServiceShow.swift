internal import ArgumentParser
internal import PushOperations

struct ServiceShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one service and its apps.")

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let service = try Operations(config).carryOut(ShowService(name: name))
        guard !json.isWanted else { return try StandardOutput.json(service) }
        try StandardOutput.lines(
            FieldList(of: service).lines)
    }
}
