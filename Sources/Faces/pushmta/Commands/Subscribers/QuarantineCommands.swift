internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushStore
internal import PushWire

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Manage subscribers that are excluded because of their gateways' answers.",
        subcommands: [
            listCommand(ListQuarantine.self), command(AddToQuarantine.self), QuarantineRelease.self,
            StormCommand.self,
        ])
}

extension ListQuarantine: SubscriberListing {
    static let form = CommandForm(
        discussion: """
            States: 'quarantined' (the errors of the token reached the limit, or an operator put it into \
            quarantine), 'disabled' (a feedback service reported that the app was removed from the device), \
            and 'counting' (still receives messages, and has errors that count). A new registration ends any \
            of these states.

            The table shortens tokens; --whole-tokens and --json do not.

            Example: pushmta quarantine list --app shop-ios
            """,
        without: ["limit", "cursor"])
    static let emptyText = "no subscriber is in quarantine"
    static let columns = [
        "APP", "TOKEN", "USER KEY", "STATE", "ERRORS", "SINCE", "FROM", "REASON", "DELIVERY",
    ]
    static let numericColumns: [String] = ["ERRORS", "DELIVERY"]
    static func token(of entry: QuarantineView) -> String { entry.token }
    static func row(_ entry: QuarantineView, token: String) -> [String] {
        [
            entry.app ?? "", token, entry.userKey, entry.state.name, "\(entry.errors)", entry.since.utcText,
            entry.source.name, entry.reason, entry.delivery.map { "\($0)" } ?? "",
        ]
    }
}

extension AddToQuarantine: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            Use this command for a device that should receive nothing although its gateway accepts messages \
            for it. Messages that are already prepared are still sent. A device that is already excluded \
            stays unchanged.

            Example: pushmta quarantine add --app shop-ios --token 2b6f0cc9… --reason "test device of the \
            agency"
            """)
    static func lines(_ device: Answer) -> [String] {
        [
            device.changed
                ? "1 device quarantined" : "the device was \(device.state.name) already; nothing changed"
        ]
    }
}

struct QuarantineRelease: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Make subscribers valid again and clear their errors.",
        discussion: """
            Deliveries that are prepared after this command include the subscribers. If a gateway still \
            rejects their tokens as dead, the subscribers are put into quarantine again. Exit status 1 if \
            there was no subscriber to release.

            Example: pushmta quarantine release --app shop-ios --user-key anna
            """)

    @OptionGroup var members: MemberArguments<ReleaseFromQuarantine>

    @Flag(help: "Release all subscribers of the app that have errors.")
    var all = false

    @Flag(help: "Do not ask for confirmation of --all.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        if yes, !all { throw ValidationError("--yes requires --all.") }
    }

    func run() throws {
        let request = try members.request(with: ["all": all ? .boolean(true) : nil])
        let operations = try Operations(config)
        if all, !yes { try Self.confirm(try operations.carryOut(CountSubscribers(app: request.app))) }
        var progress = ProgressLine()
        let done = try operations.carryOut(
            request,
            watchedBy: Watch(report: { done in
                progress.show { "\(Numerals.grouped(done.released)) released" }
            }))
        progress.clear()
        try StandardOutput.answer(done, json, ReleaseFromQuarantine.lines(done).joined(separator: "\n"))
        if done.released + done.forgiven == 0 { throw CommandExit.failed }
    }

    private static func confirm(_ counts: [SubscriberCounts]) throws(CommandFailure) {
        guard let counts = counts.first else { return }
        try Confirmation.ask(
            """
            release \(Numerals.grouped(counts.quarantined)) quarantined and \
            \(Numerals.grouped(counts.disabled)) \
            disabled subscribers of \(counts.app)?
            """,
            elsewhere:
                "--all releases every subscriber of \(counts.app) that has errors; add --yes to do that",
            refusal: "nothing was released")
    }
}

extension ReleaseFromQuarantine: CommandUseCase {
    static let form = CommandForm(without: ["all"])
    static func lines(_ done: Answer) -> [String] {
        guard done.released + done.forgiven > 0 else {
            return ["nothing was released: no subscriber that you chose is excluded or has errors"]
        }
        return [
            "\(Numerals.count(done.released, "subscriber")) released, "
                + "errors of \(Numerals.grouped(done.forgiven)) more forgotten"
        ]
    }
}
