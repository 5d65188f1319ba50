internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct WebhookList: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the receivers.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let webhooks = try Operations(config).carryOut(ListWebhooks())
        guard !json.isWanted else { return try StandardOutput.json(webhooks) }
        var table = TextTable(
            ["NAME", "STATE", "BEHIND", "TOLD", "DROPPED", "EVENTS", "URL"],
            numeric: ["BEHIND", "TOLD", "DROPPED"])
        for webhook in webhooks {
            table.append([
                webhook.name, webhook.state, "\(webhook.behind)", "\(webhook.told)", "\(webhook.dropped)",
                webhook.events.map(\.name).joined(separator: " "), webhook.url,
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
