internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct DeliveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery", abstract: "Submit deliveries and see what becomes of them.",
        subcommands: [
            DeliverySubmit.self, DeliveryPreview.self, DeliveryProof.self, DeliveryList.self,
            command(ShowDelivery.self), command(ShowDeliveryDocument.self), DeliveryLog.self,
            DeliveryStats.self,
            command(PauseDelivery.self), command(ResumeDelivery.self),
            command(StopDelivery.self), DeliveryRecall.self, command(RecountDelivery.self),
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
        commandName: "list", abstract: "List deliveries, the newest first.")

    @OptionGroup var members: MemberArguments<ListDeliveries>

    @Option(help: ArgumentHelp("Only deliveries that are older than this one.", valueName: "id"))
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

extension ListDeliveries: Commanded {
    static let form = CommandForm(without: ["cursor"])
}

extension ShowDelivery: Commanded {
    static let form = CommandForm(
        discussion: """
            Where messages wait because nothing goes through their account, a line says which account, and why.

            --duplicates counts those that were sent after more than one attempt: an earlier one without an answer may \
            have arrived too; most that fail were refused. Not counted is what was in the hands of a child or a master \
            that died: the log has that number ('messages without an outcome'). Reads the delivery's whole log.
            """)
    static func lines(_ details: Answer) -> [String] { FieldList(details.fields).lines }
}

extension ShowDeliveryDocument: Commanded {
    static let form = CommandForm(
        discussion: """
            The content contains what a template added, and the target lists all recipients, unless they were in a file of \
            their own: standard error says how many there were. With --json, the document is a member of the answer. \
            Exit status 1 if its recipients were removed with its messages.
            """)
    static func lines(_ view: SubmittedDocument) -> [String] { [view.document.text] }
    static func conclude(_ view: SubmittedDocument) {
        guard let list = view.recipients else { return }
        let count = Numerals.count(list.count, list.kind == .userKeys ? "user key" : "token")
        StandardError.line("the recipients were in a file beside the document: \(count)")
    }
}

extension PauseDelivery: Commanded {
    static let form = CommandForm(
        discussion: """
            Nothing more of it is prepared or handed to children, and what they have not handed to a gateway comes back; \
            requests that are under way are answered. A delivery that is paused already stays so. Exit status 3 if it \
            has ended.
            """)
    static func lines(_ paused: PausedDelivery) -> [String] {
        let already = paused.changed ? "" : " already"
        return ["delivery \(paused.delivery) is paused\(already), and expires \(paused.expiresAt.utcText)"]
    }
}

extension ResumeDelivery: Commanded {
    static let form = CommandForm(
        discussion: "A delivery that is not paused is left as it is. Exit status 3 if it has ended.")
    static func lines(_ resumed: PausedDelivery) -> [String] {
        [
            resumed.changed
                ? "delivery \(resumed.delivery) goes on, and expires \(resumed.expiresAt.utcText)"
                : "delivery \(resumed.delivery) is not paused: it is \(resumed.state.rawValue)"
        ]
    }
}

extension StopDelivery: Confirmed {
    static let form = CommandForm(
        discussion: """
            The answer says how many requests are on the wire, which count as they are answered. What waits is \
            cancelled, a few thousand messages at a time: those that were tried before fail with their last answer. \
            Then the delivery is stopped, and nothing of it can be sent again. A delivery that was stopped stays so. \
            Exit status 3 if it has ended otherwise.
            """)

    func confirm(in operations: Operations) throws {
        let show = ShowDelivery(id: id, looksForHolds: false, looksFurther: false)
        let present = try operations.carryOut(show).delivery
        let waiting = Numerals.count(present.counts.pending + present.counts.retrying, "message")
        try Confirmation.ask(
            "stop delivery \(id), \(waiting) of which wait?",
            elsewhere:
                "\(waiting) of delivery \(id) wait, and would be cancelled for good; add --yes to stop it",
            refusal: "nothing was stopped")
    }

    /// For example, `delivery 7 is being stopped: 120 requests are on the wire and will be counted, 9 880
    /// messages are yet to be cancelled`.
    static func lines(_ stopped: StoppedDelivery) -> [String] {
        let (id, already) = (stopped.delivery, stopped.changed ? "" : " already")
        let cancelled = "\(Numerals.count(stopped.cancelled, "message")) cancelled"
        guard stopped.state == .stopping else { return ["delivery \(id) is stopped\(already): \(cancelled)"] }
        return [
            "delivery \(id) is being stopped\(already): \(Numerals.count(stopped.onTheWire, "request")) on the wire, "
                + "whose answers will count, \(cancelled), \(Numerals.grouped(stopped.toBeCancelled)) yet to be "
                + "cancelled"
        ]
    }
}

extension RetryFailed: Commanded {
    static let form = CommandForm(
        name: "retry-failed",
        discussion: """
            For failures whose cause was fixed: a storm that was discarded, a gateway that refused, subscribers that \
            were released. Attempts and ids are kept, the delivery's validity begins again, and a delivery that had ended \
            is open again. Messages to subscribers in quarantine, disabled or removed are not sent again, nor those with which the \
            gateway found fault itself, unless --reason names that, nor those that were cancelled untried. Exit status 3 \
            if nothing can be sent again, or a storm is undecided. An interruption leaves the rest as it was; the \
            same command finishes it.
            """)

    static func lines(_ done: RetriedFailures) -> [String] {
        let messages = "\(Numerals.count(done.retried, "message")) of delivery \(done.delivery)"
        let left = done.left.isEmpty ? "" : "; not: " + done.left.joined(separator: "; ")
        return ["\(messages) to be sent again until \(done.expiresAt.utcText)\(left)"]
    }
}

struct DeliveryRelease: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ReleaseDeliveries.self]
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let deliveries go on that are held since a backup was restored.",
        discussion: """
            What was sent of them after the backup was taken is sent again. Those that are not released end with their \
            validity. A delivery that is held as damaged goes on with 'delivery recount'.
            """)

    @Argument(help: "The deliveries' ids.")
    var ids: [DeliveryID] = []

    @Flag(help: "All that are held so.")
    var all = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Give the deliveries' ids, or --all.") }
    }

    func run() throws {
        let done = try Operations(config).carryOut(ReleaseDeliveries(ids: all ? nil : ids))
        let text =
            done.released == 1 ? "1 delivery goes on" : "\(Numerals.grouped(done.released)) deliveries go on"
        try StandardOutput.answer(done, json, text)
    }
}

extension RecountDelivery: Commanded {
    static let form = CommandForm(
        discussion: """
            A delivery whose rows contradict each other is held: nothing more of it is sent. This makes its counters and \
            the ranges of its parts what its messages say. Exit status 1 if something is wrong that messages do not \
            tell; the delivery stays held then, until its validity ends.
            """)
    static func lines(_ recount: RecountView) -> [String] { recount.lines }
    static func conclude(_ recount: RecountView) throws { if recount.problem != nil { throw Ending.failed } }
}

extension RecountView {
    var lines: [String] {
        var table = TextTable(["COUNT", "BEFORE", "NOW"], numeric: ["BEFORE", "NOW"])
        for ((name, before), (_, after)) in zip(before.named, after.named) {
            table.append([name, "\(before)", "\(after)"])
        }
        var lines = table.lines
        if mendedParts > 0 { lines.append("\(Numerals.count(mendedParts, "part")) found again") }
        if mendedHits > 0 { lines.append("\(Numerals.count(mendedHits, "figure")) of reports mended") }
        lines.append(problem.map { "still held: \($0)" } ?? end)
        return lines
    }

    private var end: String {
        switch state {
        case .startPending, .preparing, .inProgress: "delivery \(id) goes on"
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
