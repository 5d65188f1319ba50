internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct DeliveryRecall: PerformingCommand {
    static let useCases: [any UseCase.Type] = [RecallDelivery.self, ShowDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Stop the unsent messages of a delivery and replace the sent ones on devices.",
        discussion: """
            Apple and Google do not take back messages that they have accepted: users may already have seen \
            the notification, and a recall deletes nothing from devices. A recall stops the messages that \
            are not sent yet, as 'delivery stop' does, and submits a replacement with the given content, for \
            exactly those recipients to whom a message from the recalled delivery was sent. Devices show the \
            replacement in place of the recalled notification if that notification has a name by which it \
            can be replaced: ios.collapseId, or android.tag of a notification. With android.collapseKey \
            alone, the recalled notification is replaced only on devices that were offline.

            The replacement uses the same names for its notifications, and has the same priority, rate, \
            validity and retries as the recalled delivery; a frequency cap does not apply to it. Apps whose \
            devices would show both notifications are excluded, with a warning. If this applies to every \
            app, or if the content cannot be sent, the recall is refused with status 3 and nothing is \
            stopped. The command asks for confirmation on a terminal and requires --yes elsewhere.

            Example: pushmta delivery recall 17 --with correction.json
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs, transform: NumberArgument.deliveryID)
    var id: DeliveryID

    @Option(
        help: ArgumentHelp(
            "The content of the replacement.",
            discussion: #"JSON, {"content": {…}} as in a delivery document; - is standard input."#,
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var with: String

    @Option(
        help: ArgumentHelp(
            "Submit the replacement only once, however often the command runs within a day.", valueName: "key"
        ))
    var idempotencyKey: String?

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(with)
        let recall = RecallDelivery(
            id: id, document: document.bytes, documentName: document.name, caller: "command",
            idempotencyKey: idempotencyKey)
        if !yes { try confirm(recall, in: operations) }
        let recalled = try operations.carryOut(recall)
        if json.isWanted {
            try StandardOutput.json(recalled)
        } else {
            try StandardOutput.lines(recalled.lines)
        }
        StandardError.warn(of: recalled.warnings)
        if recalled.replacement != nil, !recalled.isRepeated { operations.reportAbsentMaster() }
    }

    /// Asks the user to confirm what the recall would change. A recall that would be refused, or would change
    /// nothing, is not confirmed.
    private func confirm(_ recall: RecallDelivery, in operations: Operations) throws {
        // A process whose settings are refused leaves the checks to the running service.
        if operations.engine.refusal == nil { try recall.check(in: operations) }
        let show = ShowDelivery(id: id, looksForHolds: false, looksFurther: false)
        let present = try operations.carryOut(show).delivery
        let sent = Numerals.count(present.counts.sent, "message")
        guard !present.state.isFinal else {
            guard present.counts.sent > 0 else { return }
            return try Confirmation.ask(
                "delivery \(id) has ended; replace \(sent) on devices?",
                elsewhere:
                    "delivery \(id) has ended; recalling it would replace \(sent) on devices; add --yes to "
                    + "recall it",
                refusal: "nothing was replaced")
        }
        let waiting = Numerals.count(present.counts.pending + present.counts.retrying, "message")
        try Confirmation.ask(
            "stop delivery \(id), cancel \(waiting), and replace \(sent) on devices?",
            elsewhere:
                "recalling delivery \(id) would cancel \(waiting) for good and replace \(sent) on devices; "
                + "add --yes to recall it",
            refusal: "nothing was stopped")
    }
}

extension RecalledDelivery {
    /// Texts such as `delivery 7 is stopped: 120 messages cancelled` and `delivery 8 replaces the sent
    /// messages of delivery 7`.
    var lines: [String] {
        let first =
            stopped.flatMap { StopDelivery.lines($0).first }
            ?? (isRepeated ? nil : "delivery \(delivery) had ended")
        guard let replacement else {
            return [first, "none of its messages was sent, so there is nothing to replace"].compactMap { $0 }
        }
        let begin =
            replacementStartAt.map { ", from \($0.utcText) on, when its last answers are known" } ?? ""
        let already = isRepeated ? " already" : ""
        return [
            first,
            "delivery \(replacement)\(already) replaces the sent messages of delivery \(delivery)\(begin)",
        ]
        .compactMap { $0 }
    }
}
