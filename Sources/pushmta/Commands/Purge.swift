internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushStore

struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove now what has been kept for long enough.",
        discussion: """
            Messages of deliveries that ended more than nmac/@retentionDays ago, subscribers whose tokens have been in \
            quarantine for longer than nmac/quarantine/@purgeDelay, verdicts and user keys that nobody needs any more. \
            A running master does the same by itself, each hour. Deliveries keep their counts, and are listed and shown \
            as before; 'delivery log' says that its messages are gone. With a master or without one; an interruption \
            leaves the rest to the next time.
            """)

    @Option(
        help: ArgumentHelp(
            "Messages of deliveries that ended more days ago, whatever nmac/@retentionDays says; deliveries with days of their own keep them.",
            valueName: "days"))
    var olderThan: Int?

    @Flag(help: "Say what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "With --older-than: do not ask.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        let days = 1...DeliverySchedule.longestRetentionDays
        guard olderThan.map(days.contains) ?? true else {
            throw ValidationError("--older-than takes 1 to \(days.upperBound) days.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        if let olderThan, !dryRun, !yes {
            try Confirmation.ask(
                "Remove the messages of all deliveries that ended more than \(Numerals.count(olderThan, "day")) ago?",
                elsewhere:
                    "--older-than removes what the setting keeps: give --yes to confirm, or --dry-run to look",
                refusal: "nothing was removed")
        }
        var progress = ProgressLine()
        defer { progress.clear() }
        let purged = try Interruption.heard { isInterrupted in
            try operations.carryOut(
                PurgeStore(olderThanDays: olderThan, isDryRun: dryRun),
                watchedBy: Watch(
                    report: { sums in
                        progress.show { "\(Numerals.count(sums.messages, "message")) removed" }
                    }, isCancelled: isInterrupted))
        } lastWord: {
            progress.clear()
            return "interrupted: what was removed is gone, the rest goes the next time"
        }
        progress.clear()
        try StandardOutput.answer(purged, json, purged.text)
    }
}

extension PurgeView {
    fileprivate var text: String {
        guard !isEmpty else { return "nothing has been kept for longer than it is to be" }
        let list = sums.words { "\(Numerals.grouped($0)) \($0 == 1 ? $1 : $2)" }
        return "\(dryRun ? "would remove" : "removed") \(list)"
    }
}
