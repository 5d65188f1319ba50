internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushWire

struct DeliverySubmit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit a delivery and print its id.",
        discussion: """
            Once the id is printed, the delivery is on disk and will be sent. A document that cannot be sent as it is \
            (unknown keys, an unknown app, a payload over the gateway's limit) ends with status 3 and is not stored.
            """)

    @Argument(
        help: "The delivery document, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(
        help: ArgumentHelp(
            "Wait until the delivery has ended: status 0 when it finished, 1 when it failed, was stopped, or is in a storm.",
            discussion: """
                A storm of bad tokens is said when it begins; where nobody has judged it when the delivery ends, the status \
                is 1. Interrupting the wait leaves the delivery running.
                """))
    var wait = false

    @Option(
        help: ArgumentHelp(
            "Send to the user keys in this file, one a line.",
            discussion: """
                It takes the place of the document's target, which must then have none. 10 000 keys at most; every \
                subscriber of the apps that has one of them is sent to, and a key that nobody has is passed over.
                """,
            valueName: "file"),
        completion: .file())
    var userKeys: String?

    @Option(
        help: ArgumentHelp(
            "Submit it once, however often this is run within a day.",
            discussion: """
                The same again prints the id of the first time. With the same key and another document, or other user keys, it \
                is refused.
                """,
            valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        let name = file == "-" ? "standard input" : file
        // A little more than a document may have: the document's own check then says what to do instead.
        let bytes = try FileReader.contents(of: file, atMost: 4 * DeliveryDocument.maximumBytes)
        let submitted = try operations.carryOut(
            SubmitDelivery(
                document: bytes, documentName: name, userKeys: try userKeys.map(UserKeysFile.keys),
                caller: "command", idempotencyKey: idempotencyKey))
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        for warning in submitted.warnings {
            StandardError.line("warning: \(warning.printable(atMost: CommandFailure.longestLine))")
        }
        guard wait else { return }
        let ending = try DeliveryWait(operations).end(of: submitted.id)
        if ending != .done { throw ending }
    }
}
