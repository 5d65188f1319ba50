internal import ArgumentParser
internal import PushAPI

/// The root of the command line. The files under Commands contain the commands, grouped by noun.
struct PushMTA: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushmta",
        abstract: "Delivers push notifications the way a mail transfer agent delivers mail.",
        discussion: """
            An app belongs to a service, and subscribers belong to an app. The master, which 'pushmta run' \
            starts, sends a delivery to the subscribers of a service's apps.

            Results are written to standard output, everything else to standard error. Exit status: 0 done, \
            1 failed, 2 wrong usage, 3 refused because the input is wrong. If the exit status is 2 or 3, the \
            command has changed nothing.
            """,
        version: ProductVersion.line,
        subcommands: [
            InitCommand.self, Run.self, Start.self, Stop.self, Restart.self, Reload.self, Status.self,
            Top.self,
            ConfigCommand.self, SizingCommand.self, ServiceCommand.self, AppCommand.self,
            SubscribersCommand.self,
            DeliveryCommand.self, DraftCommand.self, Send.self, MessageCommand.self, TemplateCommand.self,
            QuarantineCommand.self,
            FeedbackCommand.self, AccountCommand.self,
            HostCommand.self, TokenCommand.self, UserCommand.self, WebhookCommand.self,
            command(ReadAudit.self),
            StoreCommand.self,
            command(PurgeStore.self),
            JobCommand.self, Backup.self, Restore.self,
            Explain.self,
            MTAChild.self,
        ])

    @Option(help: ConfigurationOption.help, completion: ConfigurationOption.completion)
    var config: String?
}
