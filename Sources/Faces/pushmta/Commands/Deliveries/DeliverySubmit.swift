internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

struct DeliverySubmit: PerformingCommand {
    static let useCases: [any UseCase.Type] = [
        SubmitDelivery.self, DryRunDelivery.self, ShowDelivery.self, ShowDeliveryStorms.self,
    ]
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

/// A delivery document named on the command line; `-` is standard input.
struct DocumentFile {
    /// The name used in error messages.
    let name: String
    let bytes: [UInt8]

    /// - Parameter template: The template that the document is made from; the document must not name another
    ///   one.
    init(_ path: String, template: String? = nil) throws {
        let name = path == "-" ? "standard input" : path
        self.name = name
        // Read slightly more than a document may contain, so that the document's own check can report what to
        // do instead.
        let contents = try FileReader.contents(of: path, atMost: 4 * DeliveryDocument.maximumBytes)
        bytes = try template.map { try Self.naming($0, in: contents, name) } ?? contents
    }

    private static func naming(
        _ template: String, in contents: [UInt8], _ name: String
    ) throws(CommandFailure) -> [UInt8] {
        // A document that is too large or cannot be parsed is passed on unchanged; its consumer refuses it
        // with the precise reason.
        guard contents.count <= DeliveryDocument.maximumBytes, let value = try? JSONParser.parse(contents)
        else { return contents }
        guard let named = TemplateReference.naming(template, in: value) else {
            throw .refused(
                "\(name): template: the document names another one than --template; leave one of them out")
        }
        var bytes: [UInt8] = []
        named.append(to: &bytes)
        return bytes
    }
}

/// A file of recipients named on the command line, with the progress shown while it is read.
struct RecipientsFile {
    let path: String
    let form: RecipientFile.Form

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
            caller: "command", idempotencyKey: key)
        var line = ProgressLine()
        var bytesRead = 0
        let totalBytes = reader.totalBytes
        defer { line.clear() }
        return try Interruption.heard(
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
        case .storing: return "storing"
        }
    }
}

struct DeliveryPreview: PerformingCommand {
    static let useCases: [any UseCase.Type] = [PreviewDelivery.self]
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

struct DeliveryProof: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ProofDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "proof", abstract: "Send a delivery to a few people first, and print the proof's id.",
        discussion: """
            The proof is a delivery of its own, which is sent now, with priority high and without a rate; its label \
            begins with "proof: ", and nothing of it counts with the real one. Whom the document itself is for makes no \
            difference. A user key that nobody has is warned of; where nobody has any of them, the status is 3.
            """)

    @Argument(
        help: "The delivery document, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Whom to send to: up to 100 user keys, with commas between them.",
            discussion: "May be given several times.", valueName: "keys"))
    var userKeys: [String] = []

    @OptionGroup var made: TemplateOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !keys.isEmpty else { throw ValidationError("Give --user-keys.") }
    }

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(file, template: made.template)
        let submitted = try operations.carryOut(
            ProofDelivery(document: document.bytes, documentName: document.name, userKeys: keys))
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        submitted.announce()
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
    /// Prints the information that accompanies the id to standard error: the environments, unless production
    /// is the only one, and the warnings.
    func announce() {
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
