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
        "Also count messages that were sent again.",
        discussion: """
            Those that were sent after more than one attempt: an earlier one without an answer may have arrived too; \
            most that fail were refused. Not counted is what was in the hands of a child or a master that died: the \
            log has that number ('messages without an outcome'). Reads the delivery's whole log.
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
        if let doubled {
            fields.append(("possible duplicates", "\(Numerals.grouped(doubled)) sent again, and what died with a child"))
        }
        if let damage = try store.repair.held().first(where: { $0.delivery == id }) {
            fields.append(("DAMAGED", "\(damage.why); pushmta delivery recount \(id)"))
        }
        for (app, hold) in held.holds { fields.append(("waits", hold.line(app: app))) }
        try StandardOutput.lines(FieldList(fields).lines)
    }
}
