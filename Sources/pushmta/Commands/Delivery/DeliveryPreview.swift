internal import ArgumentParser
internal import PushOperations

struct DeliveryPreview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show what one person's devices would get of a delivery.",
        discussion: """
            Nothing is stored or sent, and no master is needed. The payload is printed as the gateway would get it, with \
            its size and the gateway's limit; its ids are placeholders as wide as ids can be: zeros, or 2147483647. \
            Whom the document itself is for makes no difference. Exit status 3 where nobody has the token or user key.
            """)

    @Argument(
        help: "The delivery document, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var subscriber: SubscriberOptions
    @OptionGroup var made: TemplateOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(file, template: made.template)
        let view = try operations.carryOut(
            PreviewDelivery(
                document: document.bytes, documentName: document.name, who: subscriber.who,
                app: subscriber.app))
        if json.isWanted { try StandardOutput.json(view) } else { try StandardOutput.lines(view.lines) }
        StandardError.warn(of: view.warnings)
    }
}
