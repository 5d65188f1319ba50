internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore

struct DeliveryShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one delivery: its state, counts and rate.")

    @Argument(help: "The delivery's id.")
    var id: DeliveryID

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let delivery = try Instance(config).openStore().deliveries.require(id)
        let now = Clocks.moment()
        guard !json.isWanted else { return try StandardOutput.json(DeliveryView.json(delivery, at: now)) }
        try StandardOutput.lines(FieldList(DeliveryView.fields(delivery, at: now)).lines)
    }
}
