internal import ArgumentParser
internal import PushOperations

struct WebhookShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one receiver, and how far it has come.")

    @Argument(help: "The receiver's name.", completion: .webhookNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let webhook = try Operations(config).carryOut(ShowWebhook(name: name))
        guard !json.isWanted else { return try StandardOutput.json(webhook) }
        try StandardOutput.lines(FieldList(webhook.fields).lines)
    }
}
