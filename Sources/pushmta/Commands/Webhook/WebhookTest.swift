internal import ArgumentParser
internal import PushOperations

struct WebhookTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a receiver one event 'ping' now, and say what it answered.",
        discussion: "Exit status 1 where it did not take it. Its other events are not touched.")

    @Argument(help: "The receiver's name.", completion: .webhookNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let tested = try Operations(config).carryOut(TestWebhook(name: name))
        let verdict = tested.taken ? "taken" : "not taken"
        try StandardOutput.answer(tested, json, "\(verdict): \(tested.answer)")
        if !tested.taken { throw Ending.failed }
    }
}
