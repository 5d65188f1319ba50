internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List deliveries, the newest first.")

    @Option(help: ArgumentHelp("Show at most so many.", valueName: "count"))
    var limit: Int = 100

    @Option(help: ArgumentHelp("Go on after this one: the last id of the list before.", valueName: "id"))
    var before: DeliveryID?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...5_000).contains(limit) else { throw ValidationError("--limit takes 1 to 5000.") }
    }

    func run() throws {
        let deliveries = try Operations(config).carryOut(ListDeliveries(limit: limit, before: before)).items
        if json.isWanted { return try StandardOutput.json(deliveries) }
        try StandardOutput.lines(DeliveryView.table(deliveries).lines)
    }
}
