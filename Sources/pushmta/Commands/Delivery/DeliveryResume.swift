internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryResume: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused delivery go on.",
        discussion: """
            It is prepared and sent from where it was, until its validity ends. A delivery that is not paused is left as \
            it is. Exit status 3 where it has ended.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let resumed = try Operations(config).carryOut(ResumeDelivery(id: id))
        try StandardOutput.answer(resumed, json, resumed.resumeLine)
    }
}
