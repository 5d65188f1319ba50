internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct DeliveryRecall: PerformingCommand {
    static let useCases: [any UseCase.Type] = [RecallDelivery.self, ShowDelivery.self]
    static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Stop what is not sent of a delivery, and replace what devices have of it.",
        discussion: """
            Neither Apple nor Google takes back what it has taken: whoever has looked at a notification has seen it, and a \
            recall deletes nothing. It stops what is not sent yet, as 'delivery stop' does, and submits another delivery \
            with the content that it is given, for exactly those to whom a message of the first was sent. Their devices \
            show it in the place of the first where the first had a name to replace it by: ios.collapseId, or android.tag \
            of a notification; with android.collapseKey alone only devices that were away are spared the first.

            The second delivery has the names of the first, and its priority, rate, validity and retries; a frequency cap \
            does not hold for it. Apps whose devices would show both are left out, with a warning. Where that is every \
            app, and where the content cannot be sent, it is refused with status 3 and nothing is stopped. Asks on a \
            terminal and wants --yes elsewhere.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Option(
        help: ArgumentHelp(
            "What takes its place.",
            discussion: #"JSON, {"content": {…}} as in a delivery document; - is standard input."#,
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var with: String

    @Option(
        help: ArgumentHelp(
            "Submit the replacement once, however often this is run within a day.", valueName: "key"))
    var idempotencyKey: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(with)
        if !yes {
            let show = ShowDelivery(id: id, looksForHolds: false, looksFurther: false)
            let counts = try operations.carryOut(show).delivery.counts
            let waiting = Numerals.count(counts.pending + counts.retrying, "message")
            let sent = Numerals.count(counts.sent, "message")
            try Confirmation.ask(
                "stop delivery \(id), \(waiting) of which wait, and replace \(sent) of it on devices?",
                elsewhere:
                    "\(waiting) of delivery \(id) wait, and would be cancelled for good; \(sent) would be replaced on "
                    + "devices; add --yes to recall it",
                refusal: "nothing was stopped")
        }
        let recalled = try operations.carryOut(
            RecallDelivery(
                id: id, document: document.bytes, documentName: document.name, caller: "command",
                idempotencyKey: idempotencyKey))
        if json.isWanted {
            try StandardOutput.json(recalled)
        } else {
            try StandardOutput.lines(recalled.lines)
        }
        StandardError.warn(of: recalled.warnings)
    }
}

extension RecalledDelivery {
    /// For example, `delivery 7 is stopped: 120 messages cancelled` and `delivery 8 replaces what was sent of
    /// delivery 7`.
    var lines: [String] {
        let first =
            stopped.flatMap { StopDelivery.lines($0).first }
            ?? (isRepeated ? nil : "delivery \(delivery) had ended")
        guard let replacement else {
            return [first, "no message of it was sent: there is nothing to replace"].compactMap { $0 }
        }
        let begin =
            replacementStartAt.map { ", from \($0.utcText) on, when its last answers are known" } ?? ""
        let already = isRepeated ? " already" : ""
        return [
            first, "delivery \(replacement) replaces\(already) what was sent of delivery \(delivery)\(begin)",
        ]
        .compactMap { $0 }
    }
}
