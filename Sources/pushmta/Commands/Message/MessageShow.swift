internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct MessageShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one message: its state, attempts and what the gateway said.",
        discussion: """
            The id is the one that 'send' printed; the log of a delivery has it too, where its apps' ids are UUIDs.
            """)

    @Argument(help: "The message's id.")
    var id: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let message = try Operations(config).carryOut(ShowMessage(id: id))
        if json.isWanted { return try StandardOutput.json(message) }
        try StandardOutput.lines(FieldList(message.fields).lines)
    }
}
