internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushWire

struct DeliverySubmit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit a delivery and print its id.",
        discussion: """
            Once the id is printed, the delivery is on disk and will be sent. A document that cannot be sent as it is \
            (unknown keys, an unknown app, a payload over the gateway's limit) ends with status 3 and is not stored. \
            Unless the document names apps or environments, it goes to the service's apps in production.

            With --dry-run nothing is stored: it prints whom the delivery would reach and leave out, what the first of \
            them would get, and how long sending would take; what would be refused ends with status 3 all the same.
            """)

    @Argument(
        help: "The delivery document, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(
        help: ArgumentHelp(
            "Wait until the delivery has ended: status 0 when it finished, 1 when it failed, was stopped, or is in a storm.",
            discussion: """
                The status is also 1 when it finished and no message was sent: each failed or was cancelled. A storm of bad \
                tokens is reported when it begins; if no operator has judged it when the delivery ends, the status is 1. \
                Interrupting the wait leaves the delivery running.
                """))
    var wait = false

    @OptionGroup var made: TemplateOption

    @Option(
        help: ArgumentHelp(
            "Send to the user keys in this file, one a line.",
            discussion: """
                It takes the place of the document's target, which must then have none. There may be millions; every \
                subscriber of the apps that has one of them is sent to, and a key that nobody has is passed over. A file \
                that ends within a line has broken off, and is refused.
                """,
            valueName: "file"),
        completion: .file())
    var userKeys: String?

    @Option(
        help: ArgumentHelp(
            "Send to the recipients in this file, each with variables of his own.",
            discussion: """
                CSV with a column userKey or token, and one for each variable; or an object of the document's \
                target.recipients a line. Otherwise as --user-keys.
                """,
            valueName: "file"),
        completion: .file())
    var recipients: String?

    @Option(
        help: ArgumentHelp(
            "Submit it once, however often this is run within a day.",
            discussion: """
                The same again prints the id of the first time. With the same key and another document, or other user keys, it \
                is refused.
                """,
            valueName: "key"))
    var idempotencyKey: String?

    @Flag(
        help: ArgumentHelp(
            "Store nothing, and print what would become of it.",
            discussion:
                "Reads all of the target. A running master goes on meanwhile, and its rates of late count."))
    var dryRun = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !dryRun || !wait && idempotencyKey == nil else {
            throw ValidationError(
                "With --dry-run nothing is submitted: leave --wait and --idempotency-key out.")
        }
        guard userKeys == nil || recipients == nil else {
            throw ValidationError("Give either --user-keys or --recipients: both say who is sent to.")
        }
        guard file != "-" || userKeys != "-" && recipients != "-" else {
            throw ValidationError("Standard input is one file: the document or the recipients.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(file, template: made.template)
        if dryRun {
            let view = try view(of: document, in: operations)
            if json.isWanted { try StandardOutput.json(view) } else { try StandardOutput.lines(view.lines) }
            return StandardError.warn(of: view.warnings)
        }
        let submitted = try submitted(document, in: operations)
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        submitted.announce()
        guard wait else { return }
        let ending = try DeliveryWait(operations).end(of: submitted.id)
        if ending != .done { throw ending }
    }

    private var recipientsFile: RecipientsFile? {
        if let userKeys { return RecipientsFile(path: userKeys, form: .userKeys) }
        return recipients.map { RecipientsFile(path: $0, form: .table) }
    }

    private func view(of document: DocumentFile, in operations: Operations) throws -> DryRunView {
        guard let file = recipientsFile else {
            return try operations.carryOut(
                DryRunDelivery(document: document.bytes, documentName: document.name))
        }
        return try file.read(document) { order, watch, read in
            try order.dryRun(in: operations, watchedBy: watch, read: read)
        }
    }

    private func submitted(
        _ document: DocumentFile, in operations: Operations
    ) throws -> SubmittedDelivery {
        guard let file = recipientsFile else {
            return try operations.carryOut(
                SubmitDelivery(
                    document: document.bytes, documentName: document.name, caller: "command",
                    idempotencyKey: idempotencyKey))
        }
        return try file.read(document, once: idempotencyKey) { order, watch, read in
            try order.perform(in: operations, watchedBy: watch, read: read)
        }
    }
}
