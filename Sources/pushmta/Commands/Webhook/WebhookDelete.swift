internal import ArgumentParser
internal import PushOperations

struct WebhookDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a receiver; what it was not told yet it will not be.")

    @Argument(help: "The receiver's name.", completion: .webhookNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let deleted = try Operations(config).carryOut(DeleteWebhook(name: name))
        try StandardOutput.answer(deleted, json, "webhook \(deleted.name) deleted")
    }
}
