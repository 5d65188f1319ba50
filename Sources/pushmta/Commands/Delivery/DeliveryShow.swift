internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one delivery: its order, state, counts and failures.",
        discussion: """
            Where messages wait because nothing goes through their account, a line says which account, and why.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Flag(
        help: ArgumentHelp(
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
        let details = try Operations(config).carryOut(ShowDelivery(id: id, countsDuplicates: duplicates))
        if json.isWanted { return try StandardOutput.json(details) }
        try StandardOutput.lines(FieldList(details.fields).lines)
    }
}
