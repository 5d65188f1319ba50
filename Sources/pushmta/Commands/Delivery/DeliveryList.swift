internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct DeliveryList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List deliveries, the newest first.")

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
        let deliveries = try Instance(config).openStore().deliveries.list(before: before, limit: limit)
        let now = Clocks.moment()
        guard !json.isWanted else {
            return try StandardOutput.json(.array(deliveries.map { DeliveryView.json($0, at: now) }))
        }
        try StandardOutput.lines(Self.table(deliveries, at: now).lines)
    }

    static func table(_ deliveries: [DeliverySummary], at now: WallMoment) -> TextTable {
        var table = TextTable(
            ["ID", "LABEL", "STATE", "TARGETED", "SENT", "FAILED", "WAITING", "RATE", "STARTED"],
            numeric: ["ID", "TARGETED", "SENT", "FAILED", "WAITING", "RATE"])
        for delivery in deliveries {
            let counts = delivery.counts
            table.append([
                "\(delivery.id)", delivery.label, delivery.state.rawValue,
                Numerals.grouped(counts.targeted), Numerals.grouped(counts.sent), Numerals.grouped(counts.failed),
                Numerals.grouped(counts.pending + counts.retrying), DeliveryView.rate(delivery, at: now),
                delivery.started?.utcText ?? "",
            ])
        }
        return table
    }
}
