internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryPause: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Send nothing more of a delivery until it is resumed.",
        discussion: """
            Nothing more of it is prepared or handed to children, and what they have not handed to a gateway comes back; \
            requests that are under way are answered. Validity goes on: what is still paused when it ends is not sent. A \
            delivery that is paused already stays so. Exit status 3 where it has ended.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let paused = try Operations(config).carryOut(PauseDelivery(id: id))
        try StandardOutput.answer(paused, json, paused.pauseLine)
    }
}
