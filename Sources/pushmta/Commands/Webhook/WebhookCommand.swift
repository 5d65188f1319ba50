internal import ArgumentParser

struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Receivers of events: what happened is posted to a URL of yours.",
        discussion: """
            Events are sent in batches, signed as the Standard Webhooks specification has it, at least once, and again \
            with growing pauses until the receiver takes them. What is kept for one that does not is bounded by \
            nmac/@webhookDays and nmac/@webhookOutboxMb.
            """,
        subcommands: [
            WebhookCreate.self, WebhookList.self, WebhookShow.self, WebhookUpdate.self,
            WebhookRotateSecret.self, WebhookDelete.self, WebhookTest.self,
        ])
}
