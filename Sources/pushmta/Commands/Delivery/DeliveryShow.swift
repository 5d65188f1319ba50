internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore

struct DeliveryShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one delivery: its state, counts and rate.",
        discussion: """
            Where messages wait because nothing goes through their account, a line says which account, and why.
            """)

    @Argument(help: "The delivery's id.")
    var id: DeliveryID

    @Flag(help: ArgumentHelp(
        "Also count messages that may have arrived twice.",
        discussion: """
            Those that were sent after more than one attempt: an earlier attempt may have arrived although it had no \
            answer. An upper bound, because most attempts that fail were refused. Reads the delivery's whole log.
            """))
    var duplicates = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let delivery = try store.deliveries.require(id)
        let held = try HeldDelivery(delivery, in: store, of: instance)
        let doubled = duplicates ? try PossibleDuplicates.count(of: id, in: store.deliveries) : nil
        let now = Clocks.moment()
        guard !json.isWanted else {
            return try StandardOutput.json(
                DeliveryView.json(delivery, at: now, waitsFor: held.holds.map(\.hold), possibleDuplicates: doubled))
        }
        var fields = DeliveryView.fields(delivery, at: now)
        if let doubled { fields.append(("possible duplicates", "at most \(Numerals.grouped(doubled))")) }
        for (app, hold) in held.holds { fields.append(("waits", hold.line(app: app))) }
        try StandardOutput.lines(FieldList(fields).lines)
    }
}
