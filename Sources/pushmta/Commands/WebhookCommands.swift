internal import ArgumentParser
internal import PushModel
internal import PushOperations

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

struct WebhookCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a receiver and show its secret, this once.",
        discussion: "It is told what happens from now on.")

    @Argument(help: "What it is called, here and in each batch.")
    var name: ObjectName

    @Option(
        help: ArgumentHelp(
            "Where it listens.", discussion: "https://, or http:// on this machine alone.", valueName: "url"))
    var url: String

    @Option(
        name: .customLong("event"), help: "What it is told; may be repeated. All kinds unless said otherwise."
    )
    var events: [WebhookEventKind] = []

    @Option(
        help: ArgumentHelp("Tell it of this service's apps alone.", valueName: "name"),
        completion: .serviceNames)
    var service: String?

    @OptionGroup var authorities: WebhookAuthorities

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let created = try Operations(config).carryOut(
            CreateWebhook(
                name: name.text, url: url, events: events.isEmpty ? WebhookEventKind.allCases : events,
                service: service, authorities: try authorities.text()))
        try StandardOutput.answer(created, json, created.secret)
    }
}

extension WebhookEventKind: ExpressibleByArgument {
    public init?(argument: String) { self.init(name: argument) }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    public var defaultValueDescription: String { name }
}

/// Whose certificates a receiver may show.
struct WebhookAuthorities: ParsableArguments {
    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp(
            "Trust the authorities in this PEM file and no others, in the place of the system's.",
            valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
    var file: String?

    private static let mostBytes = 1 << 20

    /// nil: none was named.
    func text() throws(CommandFailure) -> String? {
        guard let file else { return nil }
        let bytes = try FileReader.contents(of: file, atMost: Self.mostBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .refused("\(file): it is no PEM")
        }
        return text
    }
}

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

extension WebhookView {
    /// `working`, `failing` or `disabled`.
    var state: String { enabled ? (failures > 0 ? "failing" : "working") : "disabled" }

    var fields: [(name: String, value: String)] {
        var fields = [
            ("name", name), ("url", url), ("events", events.map(\.name).joined(separator: ", ")),
            ("service", service ?? "all"),
            ("authorities", ownAuthorities ? "its own" : "the system's"),
            ("state", disabledReason.map { "\(state): \($0)" } ?? state),
            ("created", created.utcText), ("behind", "\(Numerals.grouped(Int(behind))) events"),
        ]
        if behindSeconds > 0 {
            fields.append(("oldest", "\(StatusView.duration(Int(behindSeconds))) ago"))
        }
        fields += [
            ("told", "\(Numerals.grouped(Int(told))) events"),
            ("dropped", "\(Numerals.grouped(Int(dropped))) events"),
            ("batches", "\(batchesTaken) taken, \(attemptsFailed) attempts failed"),
        ]
        if let lastAnswer {
            fields.append(("last answer", "\(lastAnswer), \(lastAnswerAt?.utcText ?? "")"))
        }
        if let nextAttempt { fields.append(("next attempt", nextAttempt.utcText)) }
        if let oldSecretUntil { fields.append(("old secret until", oldSecretUntil.utcText)) }
        return fields
    }

    /// In `status`, of one that an operator should look at.
    var statusLine: String {
        if let disabledReason {
            return "WEBHOOK \(name) is disabled: \(disabledReason); pushmta webhook update \(name) --enable"
        }
        let since = StatusView.duration(Int(behindSeconds))
        let said = failures > 0 ? ": \(lastAnswer ?? "no answer"), \(failures) attempts in a row" : ""
        return "WEBHOOK \(name) is \(Numerals.grouped(Int(behind))) events behind, since \(since)\(said)"
    }
}
