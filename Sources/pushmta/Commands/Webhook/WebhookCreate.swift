internal import ArgumentParser
internal import PushModel
internal import PushOperations

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
