internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryRetryFailed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry-failed", abstract: "Send messages of a delivery that failed again.",
        discussion: """
            For failures whose cause was mended: a storm that was discarded, a gateway that refused, subscribers that \
            were released. Attempts and ids are kept, the delivery's validity begins anew, and a delivery that had ended \
            is open again. Not sent again is what goes to subscribers in quarantine, disabled or removed, and what the \
            gateway found fault with itself, unless --reason names that; nor what was cancelled untried. Exit status 3 \
            where nothing can be sent again, or a storm is undecided. An interruption leaves the rest as it was; the \
            same command finishes it.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Option(
        help: ArgumentHelp(
            "Only those that failed for this reason, as 'delivery show' has it: the gateway's word or the reason before it.",
            valueName: "reason"))
    var reason: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        var progress = ProgressLine()
        let done = try operations.carryOut(
            RetryFailed(id: id, reason: reason),
            watchedBy: Watch(report: { done in
                progress.show { "\(Numerals.count(done.retried, "message")) to be sent again" }
            }))
        progress.clear()
        let messages = "\(Numerals.count(done.retried, "message")) of delivery \(id)"
        let left = done.left.isEmpty ? "" : "; not: " + done.left.joined(separator: "; ")
        try StandardOutput.answer(
            done, json, "\(messages) to be sent again until \(done.expiresAt.utcText)\(left)")
    }
}
