internal import ArgumentParser
internal import PushOperations

struct QuarantineRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Make subscribers valid again and forget their errors.",
        discussion: """
            Deliveries prepared from now on are sent to them. A gateway that still calls their tokens dead puts them \
            back. Exit status 1 where nobody was there to release.
            """)

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @Option(
        name: .customLong("token"),
        help: ArgumentHelp(
            "A registration token, whole; may be repeated.", valueName: "token"))
    var tokens: [String] = []

    @Option(help: ArgumentHelp("All subscribers with this user key.", valueName: "key"))
    var userKey: String?

    @Flag(help: "All subscribers of the application that have errors.")
    var all = false

    @Flag(help: "Do not ask before --all.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        let ways = [!tokens.isEmpty, userKey != nil, all].count { $0 }
        guard ways == 1 else { throw ValidationError("Give one of --token, --user-key and --all.") }
        guard tokens.count <= ReleaseFromQuarantine.mostTokens else {
            throw ValidationError("Give at most \(ReleaseFromQuarantine.mostTokens) tokens at once.")
        }
        if yes, !all { throw ValidationError("--yes belongs to --all.") }
    }

    func run() throws {
        let operations = try Operations(config)
        if all, !yes { try Self.confirm(try operations.carryOut(CountSubscribers(app: app))) }
        let subscribers: ReleaseFromQuarantine.Subscribers =
            if let userKey { .userKey(userKey) } else if all { .all } else { .tokens(tokens) }
        var progress = ProgressLine()
        let done = try operations.carryOut(
            ReleaseFromQuarantine(app: app, subscribers: subscribers),
            watchedBy: Watch(report: { done in
                progress.show { "\(Numerals.grouped(done.released)) released" }
            }))
        progress.clear()
        try StandardOutput.answer(
            done, json,
            "\(Numerals.count(done.released, "subscriber")) released, "
                + "errors of \(Numerals.grouped(done.forgiven)) more forgotten")
        if done.released + done.forgiven == 0 { throw Ending.failed }
    }

    private static func confirm(_ counts: [SubscriberCounts]) throws(CommandFailure) {
        guard let counts = counts.first else { return }
        try Confirmation.ask(
            """
            release \(Numerals.grouped(counts.quarantined)) quarantined and \(Numerals.grouped(counts.disabled)) \
            disabled subscribers of \(counts.app)?
            """,
            elsewhere:
                "--all releases every subscriber of \(counts.app) that has errors; add --yes to do that",
            refusal: "nothing was released")
    }
}
