internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct DeliveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery", abstract: "Submit, show and control deliveries.",
        subcommands: [
            DeliverySubmit.self, DeliveryPreview.self, DeliveryProof.self, DeliveryList.self,
            command(ShowDelivery.self), command(ShowDeliveryDocument.self), DeliveryLog.self,
            DeliveryStats.self,
            command(PauseDelivery.self), command(ResumeDelivery.self),
            command(StopDelivery.self), DeliveryRecall.self, DeliveryCopy.self,
            command(RecountDelivery.self),
            command(RetryFailed.self), DeliveryRelease.self,
        ])
}

extension DeliveryID: ExpressibleByArgument {
    package init?(argument: String) {
        guard let number = Int64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }
}

struct DeliveryList: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ListDeliveries.self]
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List deliveries, newest first.",
        discussion: "Example: pushmta delivery list --service shop --state inProgress")

    @OptionGroup var members: MemberArguments<ListDeliveries>

    @Option(
        help: ArgumentHelp("List only deliveries that are older than this one.", valueName: "id"),
        transform: NumberArgument.deliveryID)
    var before: DeliveryID?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        var request = try members.request()
        request.cursor = before?.rawValue
        let deliveries = try Operations(config).items(of: request)
        if json.isWanted { return try StandardOutput.json(deliveries) }
        try StandardOutput.lines(DeliveryView.table(deliveries).lines)
    }
}

extension ListDeliveries: CommandUseCase {
    static let form = CommandForm(without: ["cursor"])
}

extension ShowDelivery: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            If messages wait because their account sends nothing, a line names the account and the reason.

            --duplicates counts the messages that were sent after more than one attempt. Such a message may \
            have reached the device twice if an earlier attempt was not answered. Most failed attempts, \
            however, were refused. Messages that were in a child or a master when it died are not counted; \
            the log contains their number ('messages without an outcome'). The option reads the delivery's \
            whole log.

            Example: pushmta delivery show 17
            """)
    static func lines(_ details: Answer) -> [String] { FieldList(details.fields).lines }
}

extension ShowDeliveryDocument: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The content includes the values that a template added. The target lists all recipients unless \
            they were in a separate file; in that case, their number is written to standard error. With \
            --json, the document is a member of the answer. Exit status 1 if the delivery's recipients were \
            removed together with its messages.

            Example: pushmta delivery document 17 > sale.json
            """)
    static func lines(_ view: SubmittedDocument) -> [String] { [view.document.text] }
    static func conclude(_ view: SubmittedDocument) {
        guard let list = view.recipients else { return }
        StandardError.line("the recipients were in a separate file: \(list.described)")
    }
}

extension PauseDelivery: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            No more messages of the delivery are prepared or handed to children, and children return the \
            messages that they have not handed to a gateway. Requests in progress are completed. A delivery \
            that is already paused stays paused. Exit status 3 if the delivery has ended.

            Example: pushmta delivery pause 17
            """)
    static func lines(_ paused: PausedDelivery) -> [String] {
        let already = paused.changed ? "" : " already"
        return ["delivery \(paused.delivery) is paused\(already) and expires at \(paused.expiresAt.utcText)"]
    }
}

extension ResumeDelivery: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            A delivery that is not paused stays unchanged. Exit status 3 if the delivery has ended, or if it \
            is on hold. The error then names the command that lets the delivery continue.

            Example: pushmta delivery resume 17
            """, sendsMessages: true)
    static func lines(_ resumed: PausedDelivery) -> [String] {
        [
            resumed.changed
                ? "delivery \(resumed.delivery) continues and expires at \(resumed.expiresAt.utcText)"
                : "delivery \(resumed.delivery) is not paused: it is \(resumed.state.rawValue)"
        ]
    }
}

extension StopDelivery: Confirmed {
    static let form = CommandForm(
        discussion: """
            The command prints the number of requests that are already on the wire. The answers to these \
            requests still count. Waiting messages are cancelled, a few thousand at a time; messages that \
            were tried before fail with their last answer. Then the delivery is stopped, and none of its \
            messages can be sent again. A delivery that is already stopped stays stopped. Exit status 3 if \
            the delivery has ended in another way.

            Example: pushmta delivery stop 17
            """)

    func confirm(in operations: Operations) throws {
        let show = ShowDelivery(id: id, looksForHolds: false, looksFurther: false)
        let present = try operations.carryOut(show).delivery
        // The command changes nothing in these states, and only reports them.
        guard !present.state.isFinal, present.state != .stopping else { return }
        let waiting = Numerals.count(present.counts.pending + present.counts.retrying, "message")
        try Confirmation.ask(
            "stop delivery \(id) and cancel \(waiting)?",
            elsewhere:
                "stopping delivery \(id) would cancel \(waiting) for good; add --yes to stop it",
            refusal: "nothing was stopped")
    }

    /// Returns a text such as `delivery 7 is being stopped: 120 requests on the wire, whose answers will
    /// count, 0 messages cancelled, 9 880 yet to be cancelled`.
    static func lines(_ stopped: StoppedDelivery) -> [String] {
        let (id, already) = (stopped.delivery, stopped.changed ? "" : " already")
        let cancelled = "\(Numerals.count(stopped.cancelled, "message")) cancelled"
        guard stopped.state == .stopping else { return ["delivery \(id) is stopped\(already): \(cancelled)"] }
        return [
            "delivery \(id) is being stopped\(already): \(Numerals.count(stopped.onTheWire, "request")) on "
                + "the wire, whose answers will count, \(cancelled), "
                + "\(Numerals.grouped(stopped.toBeCancelled)) yet to be cancelled"
        ]
    }
}

extension RetryFailed: CommandUseCase {
    static let form = CommandForm(
        name: "retry-failed",
        discussion: """
            Use this command for failures whose cause was fixed: a storm that was discarded, a gateway that \
            refused messages, subscribers that were released. The messages keep their attempts and ids, the \
            validity of the delivery begins again, and a delivery that had ended is in progress again. \
            Messages are not sent again if their subscriber is in quarantine, disabled or removed, if the \
            gateway found fault with the message itself (unless --reason names that fault), or if they were \
            cancelled without an attempt. Exit status 3 if nothing can be sent again, or if a storm is \
            undecided. If the command is interrupted, the remaining messages are unchanged; run the same \
            command again to finish.

            Example: pushmta delivery retry-failed 17
            """, sendsMessages: true)

    static func lines(_ done: RetriedFailures) -> [String] {
        let messages = "\(Numerals.count(done.retried, "message")) of delivery \(done.delivery)"
        let left = done.left.isEmpty ? "" : "; not sent again: " + done.left.joined(separator: "; ")
        return ["\(messages) will be sent again until \(done.expiresAt.utcText)\(left)"]
    }
}

struct DeliveryRelease: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ReleaseDeliveries.self]
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Release deliveries that were put on hold when a backup was restored.",
        discussion: """
            Messages that were sent after the backup was taken are sent again. Deliveries that are not \
            released end when their validity ends. For a delivery that is on hold because it is damaged, use \
            'delivery recount'.

            Example: pushmta delivery release 17 18
            """)

    @Argument(help: "The ids of the deliveries.", transform: NumberArgument.deliveryID)
    var ids: [DeliveryID] = []

    @Flag(help: "Release all deliveries that are on hold because a backup was restored.")
    var all = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Give either delivery ids or --all.") }
    }

    func run() throws {
        let operations = try Operations(config)
        let done = try operations.carryOut(ReleaseDeliveries(ids: all ? nil : ids))
        try StandardOutput.answer(done, json, done.text)
        if done.released > 0 { operations.reportAbsentMaster() }
    }
}

extension ReleasedDeliveries {
    fileprivate var text: String {
        switch released {
        case 0: "no delivery was on hold because of a restored backup; nothing was changed"
        case 1: "1 delivery continues"
        default: "\(Numerals.grouped(released)) deliveries continue"
        }
    }
}

extension RecountDelivery: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            A delivery whose rows contradict each other is put on hold: no more of its messages are sent. \
            This command recalculates the delivery's counters and the ranges of its parts from its messages. \
            Exit status 1 if an error cannot be corrected from the messages; the delivery then stays on hold \
            until its validity ends.

            Example: pushmta delivery recount 17
            """)
    static func lines(_ recount: RecountView) -> [String] { recount.lines }
    static func conclude(_ recount: RecountView) throws {
        if recount.problem != nil { throw CommandExit.failed }
    }
}

extension RecountView {
    var lines: [String] {
        var table = TextTable(["COUNT", "BEFORE", "NOW"], numeric: ["BEFORE", "NOW"])
        for ((name, before), (_, after)) in zip(before.named, after.named) {
            table.append([name, "\(before)", "\(after)"])
        }
        var lines = table.lines
        if repairedParts > 0 { lines.append("\(Numerals.count(repairedParts, "part")) found again") }
        if repairedHits > 0 { lines.append("\(Numerals.count(repairedHits, "figure")) of reports corrected") }
        lines.append(problem.map { "still held: \($0)" } ?? end)
        return lines
    }

    private var end: String {
        switch state {
        case .startPending, .preparing, .inProgress: "delivery \(id) continues"
        case .paused, .stopping, .stopped, .finished, .failed: "delivery \(id) is \(state.rawValue)"
        }
    }
}

extension DeliveryView.Counts {
    fileprivate var named: [(String, Int)] {
        [
            ("targeted", targeted), ("excluded", excluded), ("pending", pending), ("sent", sent),
            ("retrying", retrying),
            ("failed", failed), ("cancelled", cancelled),
        ]
    }
}
