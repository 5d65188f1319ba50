internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct WebhookUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a receiver; what is not named stays as it is.",
        discussion: """
            Once enabled again, it is told what has happened meanwhile, as far as that was kept. With other events or \
            another service, that holds for what it was not told yet.
            """)

    @Argument(help: "The receiver's name.", completion: .webhookNames)
    var name: String

    @Option(help: ArgumentHelp("Where it listens.", valueName: "url"))
    var url: String?

    @Option(name: .customLong("event"), help: "What it is told from now on, in all; may be repeated.")
    var events: [WebhookEventKind] = []

    @Option(
        help: ArgumentHelp("Tell it of this service's apps alone.", valueName: "name"),
        completion: .serviceNames)
    var service: String?

    @Flag(help: "Tell it of all services.")
    var allServices = false

    @OptionGroup var authorities: WebhookAuthorities

    @Flag(help: "Trust the system's authorities again.")
    var systemAuthorities = false

    @Flag(help: "Send to it again, at once.")
    var enable = false

    @Flag(help: "Send nothing to it until --enable.")
    var disable = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        if enable, disable { throw ValidationError("Give one of --enable and --disable.") }
        if service != nil, allServices { throw ValidationError("Give one of --service and --all-services.") }
        if authorities.file != nil, systemAuthorities {
            throw ValidationError("Give one of --ca-file and --system-authorities.")
        }
    }

    func run() throws {
        var order = UpdateWebhook(name: name)
        order.changes.set(\.url, to: url)
        order.changes.set(\.events, to: events.isEmpty ? nil : events)
        order.changes.set(\.service, to: allServices ? .some(nil) : service.map { .some($0) })
        let authorities = try authorities.text()
        order.changes.set(
            \.authorities, to: systemAuthorities ? .some(nil) : authorities.map { .some($0) })
        order.changes.set(\.enabled, to: enable ? true : disable ? false : nil)
        let webhook = try Operations(config).carryOut(order)
        try StandardOutput.answer(webhook, json, "webhook \(webhook.name) updated: \(webhook.state)")
    }
}
