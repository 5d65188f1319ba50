internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let deliveries go on that are held since a backup was restored.",
        discussion: """
            What was sent of them after the backup was taken is sent again. Those that are not released end with their \
            validity. A delivery that is held as damaged goes on with 'delivery recount'.
            """)

    @Argument(help: "The deliveries' ids.")
    var ids: [DeliveryID] = []

    @Flag(help: "All that are held so.")
    var all = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Give the deliveries' ids, or --all.") }
    }

    func run() throws {
        let done = try Operations(config).carryOut(ReleaseDeliveries(ids: all ? nil : ids))
        let text =
            done.released == 1 ? "1 delivery goes on" : "\(Numerals.grouped(done.released)) deliveries go on"
        try StandardOutput.answer(done, json, text)
    }
}
