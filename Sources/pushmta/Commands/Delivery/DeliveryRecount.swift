internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryRecount: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recount",
        abstract: "Count a delivery's messages anew, and let it go on where it was held.",
        discussion: """
            A delivery whose rows contradict each other is held: nothing more of it is sent. This makes its counters and \
            the ranges of its parts what its messages say. Exit status 1 where something is wrong that messages do not \
            tell; the delivery stays held then, until its validity ends.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let recount = try Operations(config).carryOut(RecountDelivery(id: id))
        if json.isWanted { try StandardOutput.json(recount) } else { try StandardOutput.lines(recount.lines) }
        if recount.problem != nil { throw Ending.failed }
    }
}
