internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

struct DeliverySubmit: PerformingCommand {
    static let useCases: [any UseCase.Type] = [
        SubmitDelivery.self, DryRunDelivery.self, ShowDelivery.self, ShowDeliveryStorms.self,
        ListDeliveries.self, ShowDeliveryDocument.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit a delivery and print its id.",
        discussion: """
            When the id is printed, the delivery is on disk and will be sent. A document that cannot be sent \
            (because it has unknown keys or an unknown app, or because a payload exceeds the gateway's \
            limit) is not stored, and the status is 3. Unless the document names apps or environments, the \
            delivery is sent to the service's apps in production.

            With --dry-run nothing is stored. The command prints which recipients the delivery would reach \
            and exclude, what the first of them would receive, and how long sending would take. If the \
            document would be refused, the status is 3 in this case too.

            Example: pushmta delivery submit sale.json --wait
            """)

    @Argument(
        help: "The delivery document as JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(
        help: ArgumentHelp(
            """
            Wait until the delivery has ended: status 0 if it finished, 1 if it failed, was stopped or \
            has a storm.
            """,
            discussion: """
                The status is also 1 if the delivery finished without sending any message, because every \
                message failed or was cancelled. A storm of rejected tokens is reported when it begins; if \
                no operator has confirmed or discarded the storm when the delivery ends, the status is 1. If \
                no master has been running for a minute, the wait ends with status 1; the delivery is sent \
                when a master runs. If you interrupt the wait, the delivery continues.
                """))
    var wait = false

    @OptionGroup var made: TemplateOption

    @Option(
        help: ArgumentHelp(
            "Send to the user keys in this file, one per line.",
            discussion: """
                The file replaces the document's target; the document must not have one. The file may \
                contain millions of user keys. Every subscriber of the apps that has one of these user keys \
                receives a message. A user key that no subscriber has is ignored; a dry run and 'delivery \
                show' print how many user keys match. A file whose last line is incomplete is refused.
                """,
            valueName: "file"),
        completion: .file())
    var userKeys: String?

    @Option(
        help: ArgumentHelp(
            "Send to the recipients in this file, each with their own variables.",
            discussion: """
                The file is CSV with a column userKey or token and a column for each variable; or it \
                contains one JSON object per line, in the form of target.recipients in a document. With \
                --key, the column or member has the name of that parameter. In all other respects, the \
                same rules as for --user-keys apply.
                """,
            valueName: "file"),
        completion: .file())
    var recipients: String?

    @Option(
        help: ArgumentHelp(
            "Find the subscribers in --recipients by this parameter.",
            discussion: """
                The file has the values of a parameter that the apps declare, for example customerId, in \
                place of user keys or tokens. The subscribers that have these values now receive the \
                delivery. A dry run and 'delivery show' print how many values match, and how many of them \
                subscribers with different user keys have.
                """,
            valueName: "parameter"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Submit the delivery only once, however often the command runs within a day.",
            discussion: """
                If the command is repeated with the same key, it prints the id of the first submission. The \
                same key with a different document or different user keys is refused.
                """,
            valueName: "key"))
    var idempotencyKey: String?

    @Flag(
        help: ArgumentHelp(
            "Store nothing, and print the effects that the delivery would have.",
            discussion:
                "The whole target is read. A running master continues to send, and its recent rates are used "
                + "for the estimate."))
    var dryRun = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !dryRun || !wait && idempotencyKey == nil else {
            throw ValidationError(
                "--dry-run submits nothing: leave out --wait and --idempotency-key.")
        }
        guard userKeys == nil || recipients == nil else {
            throw ValidationError("Give either --user-keys or --recipients: both choose the recipients.")
        }
        guard key == nil || recipients != nil else {
            throw ValidationError("--key names a column of the file: give the file with --recipients.")
        }
        guard file != "-" || userKeys != "-" && recipients != "-" else {
            throw ValidationError("Standard input can be only one file: the document or the recipients.")
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
        // The recipients in a file are not part of the document. The delivery is on disk, so a failure of the
        // search is not a failure of the command.
        if idempotencyKey == nil, userKeys == nil, recipients == nil,
            let double = try? DoubleSubmission(of: submitted.id, in: operations)
        {
            StandardError.warn(of: [double.warning])
        }
        guard wait else {
            if !submitted.isRepeated { operations.reportAbsentMaster() }
            return
        }
        let ending = try DeliveryWait(operations).end(of: submitted.id)
        if ending != .done { throw ending }
    }

    private var recipientsFile: RecipientsFile? {
        if let userKeys { return RecipientsFile(path: userKeys, form: .userKeys) }
        return recipients.map { RecipientsFile(path: $0, form: .table, key: key) }
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

/// A delivery document named on the command line; `-` is standard input.
struct DocumentFile {
    /// The name used in error messages.
    let name: String
    let bytes: [UInt8]

    /// - Parameter template: The template from which the document is created; the document must not name
    ///   another template.
    init(_ path: String, template: String? = nil) throws {
        let name = path == "-" ? "standard input" : path
        self.name = name
        // Read more bytes than a document may contain, so that the document's own check can report what to do
        // instead.
        let contents = try FileReader.contents(of: path, atMost: 4 * DeliveryDocument.maximumBytes)
        bytes = try template.map { try Self.naming($0, in: contents, name) } ?? contents
    }

    private static func naming(
        _ template: String, in contents: [UInt8], _ name: String
    ) throws(CommandFailure) -> [UInt8] {
        // A document that is too large or cannot be parsed is passed on unchanged; the function that receives
        // it refuses it with the precise reason.
        guard contents.count <= DeliveryDocument.maximumBytes, let value = try? JSONParser.parse(contents)
        else { return contents }
        guard let named = TemplateReference.naming(template, in: value) else {
            throw .refused(
                "\(name): template: the document names a different template; remove it, or omit --template")
        }
        var bytes: [UInt8] = []
        named.append(to: &bytes)
        return bytes
    }
}

/// A file of recipients that is named on the command line. The progress is shown while the file is read.
struct RecipientsFile {
    let path: String
    let form: RecipientFile.Form
    var key: String?

    /// The interval at which to check for an interruption while waiting for the other end of a pipe.
    private static let patienceMilliseconds: Int32 = 250

    /// - Parameter body: Receives the inputs of the use case.
    func read<Answer>(
        _ document: DocumentFile, once key: String? = nil,
        _ body: (
            SubmitFromFile, Watch<SubmitFromFile.Progress>, _ read: (Int) throws -> [UInt8]
        ) throws -> Answer
    ) throws -> Answer {
        var reader = try FileReader(path: path)
        let order = SubmitFromFile(
            document: document.bytes, documentName: document.name, form: form, fileName: reader.name,
            key: self.key, caller: "command", idempotencyKey: key)
        var line = ProgressLine()
        var bytesRead = 0
        let totalBytes = reader.totalBytes
        defer { line.clear() }
        return try Interruption.observed(
            { isInterrupted in
                try body(
                    order,
                    Watch(
                        report: { done in line.show { Self.words(done, bytesRead, of: totalBytes) } },
                        isCancelled: isInterrupted),
                    { limit in
                        while !reader.hasBytes(withinMilliseconds: Self.patienceMilliseconds),
                            !isInterrupted()
                        {}
                        // Throw instead of reporting the end of the file: the last line may be incomplete.
                        guard !isInterrupted() else { throw OperationError(.cancelled, "interrupted") }
                        let bytes = try reader.read(upTo: limit)
                        bytesRead += bytes.count
                        return bytes
                    })
            }, lastWord: { "interrupted: nothing was submitted" })
    }

    private static func words(
        _ done: SubmitFromFile.Progress, _ bytesRead: Int, of totalBytes: Int?
    ) -> String {
        switch done {
        case .read(let count):
            let share = totalBytes.flatMap { $0 > 0 ? ", \(min(100, bytesRead * 100 / $0)) % read" : nil }
            return Numerals.count(count, "recipient") + (share ?? "")
        case .sorting: return "sorting"
        case .matching: return "matching"
        case .storing: return "storing"
        }
    }
}

struct DeliveryPreview: PerformingCommand {
    static let useCases: [any UseCase.Type] = [PreviewDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show what one person's devices would receive from a delivery.",
        discussion: """
            Nothing is stored or sent, and no master is required. The payload is printed as the gateway \
            would receive it, with its size and the gateway's limit. The ids in the payload are placeholders \
            of maximum length: zeros, or 2147483647. A device outside the document's target is also shown, \
            with a warning. Exit status 3 if no subscriber has the token or user key.

            Example: pushmta delivery preview sale.json --user-key anna
            """)

    @Argument(
        help: "The delivery document as JSON; - is standard input.", completion: .file(extensions: ["json"]))
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

struct DeliveryProof: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ProofDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Send a delivery to a few people first, and print the id of this proof.",
        discussion: """
            The proof is a separate delivery. It is sent immediately, with priority high and without a rate. \
            Its label begins with "proof: ", and none of its results count for the real delivery. The \
            document's target is ignored. The command warns about each user key that no subscriber has, and \
            about each user key whose devices receive no message. If no subscriber has any of the user keys, \
            the status is 3.

            Example: pushmta delivery proof sale.json --user-keys anna,bruno
            """)

    @Argument(
        help: "The delivery document as JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The recipients: up to 100 user keys, separated by commas.",
            discussion: "May be repeated.", valueName: "keys"))
    var userKeys: [String] = []

    @OptionGroup var made: TemplateOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !keys.isEmpty else { throw ValidationError("Give the recipients with --user-keys.") }
    }

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(file, template: made.template)
        let submitted = try operations.carryOut(
            ProofDelivery(document: document.bytes, documentName: document.name, userKeys: keys))
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        submitted.announce()
        operations.reportAbsentMaster()
    }

    private var keys: [String] {
        userKeys.flatMap { $0.split(separator: ",") }.map { key in
            var key = key.drop { $0 == " " }
            while key.last == " " { key.removeLast() }
            return String(key)
        }.filter { !$0.isEmpty }
    }
}

extension SubmittedDelivery {
    /// Prints what accompanies the id to standard error: a note if the id belongs to an earlier delivery, the
    /// environments if they include the sandbox, and the warnings.
    func announce() {
        if isRepeated {
            StandardError.line("delivery \(id) was already submitted with this key; nothing was submitted")
        }
        if environments.contains(.sandbox) {
            let names = environments.map(\.rawValue).joined(separator: " and ")
            StandardError.line("delivery \(id) goes to \(names)")
        }
        StandardError.warn(of: warnings)
    }
}

extension DeliveryPreviewView {
    /// The preview, device by device.
    var lines: [String] {
        var lines: [String] = []
        for device in devices {
            if !lines.isEmpty { lines.append("") }
            lines += device.lines
        }
        return lines
    }
}

extension DeliveryPreviewView.Device {
    fileprivate var lines: [String] {
        var fields = [
            (name: "app", value: app), (name: "token", value: token),
            (name: "user key", value: userKey), (name: "state", value: state),
        ]
        if let language { fields.append((name: "language", value: language)) }
        fields += headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        fields += message?.fields ?? []
        if let fault { fields.append(("not sent", fault)) }
        return FieldList(fields).lines
    }
}
