internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

struct DraftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draft", abstract: "Manage drafts: delivery documents that people are still writing.",
        discussion: """
            People write drafts in the console. A draft belongs to a service and has a version number: a \
            draft is saved only if the caller has read its newest version. 'draft submit' turns a draft into \
            one delivery, however often it is repeated.
            """,
        subcommands: [
            command(ListDrafts.self), command(ShowDraft.self), DraftSave.self, command(SubmitDraft.self),
            command(RemoveDraft.self),
        ])
}

struct DraftSave: PerformingCommand {
    static var useCases: [any UseCase.Type] { [SaveDraft.self] }

    static let configuration = CommandConfiguration(
        commandName: "save", abstract: "Save a document as a new draft, or as the next version of a draft.",
        discussion: """
            The document must name its service. Everything else may be missing until the draft is submitted. \
            The status is 3 if another caller has saved the draft since the given version.

            Example: pushmta draft save sale.json --id 5 --draft-version 2
            """)

    @Argument(
        help: "The document as JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: ArgumentHelp("The draft's id. (default: a new draft)", valueName: "id"))
    var id: Int64?

    // The option is not --version, because every command interprets that as a request for the program's own
    // version.
    @Option(help: ArgumentHelp("The version of the draft that you have read.", valueName: "number"))
    var draftVersion: Int64?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (id == nil) == (draftVersion == nil) else {
            throw ValidationError("give both --id and --draft-version, or neither of them")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        let bytes = try FileReader.contents(of: file, atMost: 2 * SaveDraft.maxDocumentBytes)
        let document: JSONValue
        do throws(WireError) { document = try JSONParser.document(bytes) } catch {
            throw OperationError(.refused, "\(file): \(error)")
        }
        let base = id.flatMap { id in draftVersion.map { DraftVersion(id: id, version: $0) } }
        let saved = try operations.carryOut(SaveDraft(document, basedOn: base))
        try StandardOutput.answer(saved, json, "draft \(saved.id) saved: version \(saved.version)")
    }
}

extension ListDrafts: CommandUseCase {
    static let form = CommandForm(
        discussion: "Example: pushmta draft list --service shop", without: ["cursor"])
    static func lines(_ page: Page<DraftSummaryView>) -> [String] {
        var table = TextTable(
            ["ID", "LABEL", "SERVICE", "VERSION", "SAVED", "BY"], numeric: ["ID", "VERSION"])
        for draft in page.items {
            table.append([
                "\(draft.id)", draft.label, draft.service, "\(draft.version)", draft.updatedAt.utcText,
                draft.changedBy,
            ])
        }
        return table.lines
    }
}

extension ShowDraft: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta draft show 5")
    static func lines(_ draft: DraftView) -> [String] {
        let fields = [
            ("draft", "\(draft.id)"), ("label", draft.label), ("service", draft.service),
            ("version", "\(draft.version)"),
            ("created", "\(draft.createdAt.utcText) by \(draft.createdBy)"),
            ("saved", "\(draft.updatedAt.utcText) by \(draft.changedBy)"),
        ]
        return FieldList(fields).lines + [draft.document.text]
    }
}

extension SubmitDraft: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The draft is removed when it is submitted.

            Example: pushmta draft submit 5 --draft-version 2
            """,
        options: ["version": "draft-version"], sendsMessages: true)
    static func lines(_ submitted: SubmittedDelivery) -> [String] { ["\(submitted.id)"] }
}

extension RemoveDraft: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta draft remove 5")
    static func lines(_ draft: DraftSummaryView) -> [String] { ["draft \(draft.id) removed"] }
}
