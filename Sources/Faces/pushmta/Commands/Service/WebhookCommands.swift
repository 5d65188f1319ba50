internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Manage webhooks, which post events to the URLs of receivers.",
        discussion: """
            Events are sent in batches, which are signed according to the Standard Webhooks specification. \
            Each event is delivered at least once: batches are repeated at increasing intervals until the \
            receiver accepts them. nmac/@webhookDays and nmac/@webhookOutboxMb limit the events that are \
            kept for a receiver that does not accept them.
            """,
        subcommands: [
            WebhookCreate.self, command(ListWebhooks.self), command(ShowWebhook.self),
            WebhookUpdate.self,
            command(RotateWebhookSecret.self), command(DeleteWebhook.self),
            command(TestWebhook.self),
        ])
}

struct WebhookCreate: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: CreateWebhook.operation.summary,
        discussion: """
            The receiver is sent the events that occur after the webhook is created.

            Example: pushmta webhook create crm --url https://crm.example.com/push --event sent --event \
            failed
            """)

    @OptionGroup var members: MemberArguments<CreateWebhook>
    @OptionGroup var authorities: WebhookAuthorities
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let request = try members.request(with: ["authorities": authorities.text()?.json])
        try request.run(by: Operations(config), json)
    }
}

extension CreateWebhook: CommandUseCase {
    static let form = CommandForm(without: ["authorities"])
    static func lines(_ created: Answer) -> [String] { [created.secret] }
}

/// The certificate authorities that are trusted to issue a receiver's certificate.
struct WebhookAuthorities: ParsableArguments {
    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp(
            "Trust only the authorities in this PEM file, instead of the system's.",
            valueName: "file"), completion: .file(extensions: ["pem", "crt"]))
    var file: String?

    private static let maxBytes = 1 << 20

    /// Returns the text of the file; `nil` if no file is named.
    func text() throws(CommandFailure) -> String? {
        guard let file else { return nil }
        let bytes = try FileReader.contents(of: file, atMost: Self.maxBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .refused("\(file) is not a PEM file")
        }
        return text
    }
}

extension ListWebhooks: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta webhook list")
    static func lines(_ webhooks: [WebhookView]) -> [String] {
        var table = TextTable(
            ["NAME", "STATE", "BEHIND", "TOLD", "DROPPED", "EVENTS", "URL"],
            numeric: ["BEHIND", "TOLD", "DROPPED"])
        for webhook in webhooks {
            table.append([
                webhook.name, webhook.state, "\(webhook.behind)", "\(webhook.told)", "\(webhook.dropped)",
                webhook.events.map(\.name).joined(separator: " "), webhook.url,
            ])
        }
        return table.lines
    }
}

extension ShowWebhook: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta webhook show crm")
    static func lines(_ webhook: WebhookView) -> [String] { FieldList(webhook.fields).lines }
}

struct WebhookUpdate: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a receiver. Settings that you do not name stay unchanged.",
        discussion: """
            A receiver that is enabled again is sent the events that occurred in the meantime and were kept. \
            A change of the receiver's events or service also applies to events that have not yet been sent \
            to it.

            Example: pushmta webhook update crm --enable
            """)

    @OptionGroup var members: MemberArguments<UpdateWebhook>

    @Flag(help: "Send the events of all services to the receiver.")
    var allServices = false

    @OptionGroup var authorities: WebhookAuthorities

    @Flag(help: "Trust the system's authorities again.")
    var systemAuthorities = false

    @Flag(help: "Send events to the receiver again, immediately.")
    var enable = false

    @Flag(help: "Send no events to the receiver until --enable.")
    var disable = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        if enable, disable { throw ValidationError("Give either --enable or --disable, not both.") }
        if members.isGiven("service"), allServices {
            throw ValidationError("Give either --service or --all-services, not both.")
        }
        if authorities.file != nil, systemAuthorities {
            throw ValidationError("Give either --ca-file or --system-authorities, not both.")
        }
    }

    func run() throws {
        var others: [String: JSONValue] = [:]
        if allServices { others["service"] = .null }
        others["authorities"] = systemAuthorities ? .null : try authorities.text().map { .string($0) }
        if enable || disable { others["enabled"] = .boolean(enable) }
        try members.request(with: others).run(by: Operations(config), json)
    }
}

extension UpdateWebhook: CommandUseCase {
    static let form = CommandForm(without: ["authorities", "enabled"])
    static func lines(_ webhook: WebhookView) -> [String] {
        ["webhook \(webhook.name) updated: \(webhook.state)"]
    }
}

extension RotateWebhookSecret: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            For one day, each batch has two signatures, one with the old secret and one with the new secret, \
            so that you can change the receiver in the meantime. If you rotate again within that day, the \
            oldest secret becomes invalid immediately.

            Example: pushmta webhook rotate-secret crm
            """)
    static func lines(_ rotated: Answer) -> [String] { [rotated.secret] }
}

extension TestWebhook: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Exit status 1 if the receiver does not accept the event. Other events are not affected.

            Example: pushmta webhook test crm
            """)
    static func lines(_ tested: Answer) -> [String] {
        ["\(tested.taken ? "accepted" : "not accepted"): \(tested.answer)"]
    }
    static func conclude(_ tested: Answer) throws { if !tested.taken { throw CommandExit.failed } }
}

extension DeleteWebhook: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Events that have not yet been delivered to the receiver will not be sent to it.

            Example: pushmta webhook delete crm
            """)
    static func lines(_ deleted: Answer) -> [String] { ["webhook \(deleted.name) deleted"] }
}

extension WebhookView {
    /// One of `working`, `failing` and `disabled`.
    var state: String { enabled ? (failures > 0 ? "failing" : "working") : "disabled" }

    var fields: [(name: String, value: String)] {
        var fields = [
            ("name", name), ("url", url), ("events", events.map(\.name).joined(separator: ", ")),
            ("service", service ?? "all"),
            ("authorities", ownAuthorities ? "its own" : "the system's"),
            ("state", disabledReason.map { "\(state): \($0)" } ?? state),
            ("created", createdAt.utcText), ("behind", "\(Numerals.grouped(Int(behind))) events"),
        ]
        if behindSeconds > 0 {
            fields.append(("oldest", "\(StatusView.duration(Int(behindSeconds))) ago"))
        }
        fields += [
            ("delivered", "\(Numerals.grouped(Int(told))) events"),
            ("dropped", "\(Numerals.grouped(Int(dropped))) events"),
            ("batches", "\(batchesTaken) accepted, \(attemptsFailed) attempts failed"),
        ]
        if let lastAnswer {
            fields.append(("last answer", "\(lastAnswer), \(lastAnswerAt?.utcText ?? "")"))
        }
        if let nextAttemptAt { fields.append(("next attempt", nextAttemptAt.utcText)) }
        if let oldSecretUntil { fields.append(("old secret until", oldSecretUntil.utcText)) }
        return fields
    }

    /// The line in `status` for a webhook that needs an operator's attention.
    var statusLine: String {
        if let disabledReason {
            return
                """
                WEBHOOK \(name) is disabled: \(disabledReason); run 'pushmta webhook update \(name) \
                --enable'
                """
        }
        let since = StatusView.duration(Int(behindSeconds))
        let said = failures > 0 ? ": \(lastAnswer ?? "no answer"), \(failures) attempts in a row" : ""
        return "WEBHOOK \(name) is \(Numerals.grouped(Int(behind))) events behind, for \(since)\(said)"
    }
}
