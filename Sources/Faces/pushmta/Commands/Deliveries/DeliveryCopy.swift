internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct DeliveryCopy: PerformingCommand {
    static let useCases: [any UseCase.Type] = [CopyDelivery.self, DraftDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Print the document for a new delivery like an earlier one, or submit it.",
        discussion: """
            The document is that of 'delivery document', with the label "copy of ID: LABEL" and without a \
            start that has passed. The changes have the form of a delivery document and may contain any of \
            its members: content, schedule and retry are merged with those of the earlier delivery, as with \
            those of a template; all other members replace the earlier ones. Nothing is stored unless \
            --submit is given. If the recipients were in a separate file, the printed document has no \
            target: choose recipients in the changes, or submit the document with --user-keys or \
            --recipients. Exit status 1 if the recipients of the earlier delivery were removed together with \
            its messages; 3 if an app of the earlier delivery was deleted, or if its content or target \
            cannot be used any more.

            Example: pushmta delivery copy 17 --label "Spring sale, second week" --submit
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs, transform: NumberArgument.deliveryID)
    var id: DeliveryID

    @Option(
        help: ArgumentHelp(
            "The changes, as JSON; - is standard input.",
            discussion: #"For example {"schedule": {"validity": "12h"}}."#, valueName: "file"),
        completion: .file(extensions: ["json"]))
    var with: String?

    @Option(help: ArgumentHelp("The label of the new delivery.", valueName: "text"))
    var label: String?

    @Flag(help: "Submit the new delivery, and print its id.")
    var submit = false

    @Option(
        help: ArgumentHelp(
            "Submit the new delivery only once, however often the command runs within a day.",
            valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard submit || idempotencyKey == nil else {
            throw ValidationError("--idempotency-key has no effect without --submit.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        let (changes, name) = try changes()
        guard submit else {
            let draft = try operations.carryOut(
                DraftDelivery(id: id, changes: changes, documentName: name))
            if json.isWanted { return try StandardOutput.json(draft) }
            try StandardOutput.lines(ShowDeliveryDocument.lines(draft))
            return ShowDeliveryDocument.conclude(draft)
        }
        let submitted = try operations.carryOut(
            CopyDelivery(
                id: id, changes: changes, documentName: name, caller: "command",
                idempotencyKey: idempotencyKey))
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        submitted.announce()
        if !submitted.isRepeated { operations.reportAbsentMaster() }
    }

    /// Returns the changes, including the label, and their name in errors.
    private func changes() throws -> (bytes: [UInt8], name: String) {
        let file = try with.map { try DocumentFile($0) }
        let (given, name) = (file?.bytes ?? Array("{}".utf8), file?.name ?? "")
        guard let label else { return (given, name) }
        // Changes that cannot be parsed are passed on unchanged; the use case refuses them with the reason.
        guard given.count <= DeliveryDocument.maximumBytes, let value = try? JSONParser.parse(given),
            case .object(let members) = value
        else { return (given, name) }
        guard value["label"] == nil else {
            throw CommandFailure.refused("\(name): label: also given as --label; remove one of the two")
        }
        var bytes: [UInt8] = []
        JSONValue.object(members + [JSONMember(key: "label", value: .string(label))]).append(to: &bytes)
        return (bytes, name)
    }
}
