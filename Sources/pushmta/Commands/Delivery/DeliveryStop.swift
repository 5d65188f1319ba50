internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryStop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a delivery for good: nothing more of it is sent.",
        discussion: """
            Asks on a terminal and wants --yes elsewhere. When it answers, no request of the delivery begins any more; it \
            says how many are on the wire, whose answers count as ever. What waits is cancelled, a few thousand messages \
            at a time: those that were tried before fail with their last answer. Then the delivery is stopped, and nothing \
            of it can be sent again. A delivery that was stopped stays so. Exit status 3 where it has ended otherwise.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        if !yes {
            let show = ShowDelivery(id: id, looksForHolds: false, looksFurther: false)
            let present = try operations.carryOut(show).delivery
            let waiting = Numerals.count(present.counts.pending + present.counts.retrying, "message")
            try Confirmation.ask(
                "stop delivery \(id), \(waiting) of which wait?",
                elsewhere:
                    "\(waiting) of delivery \(id) wait, and would be cancelled for good; add --yes to stop it",
                refusal: "nothing was stopped")
        }
        let stopped = try operations.carryOut(StopDelivery(id: id))
        try StandardOutput.answer(stopped, json, stopped.line)
    }
}
