internal import ArgumentParser
internal import PushOperations

struct WebhookRotateSecret: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret", abstract: "Make another secret and show it, this once.",
        discussion: """
            For a day both secrets sign, each batch with two signatures, so that the receiver can be changed meanwhile. \
            A second rotation within that day ends the first secret at once.
            """)

    @Argument(help: "The receiver's name.", completion: .webhookNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let rotated = try Operations(config).carryOut(
            RotateWebhookSecret(name: name))
        try StandardOutput.answer(rotated, json, rotated.secret)
    }
}
