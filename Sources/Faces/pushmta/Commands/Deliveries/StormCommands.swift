internal import ArgumentParser
package import PushAPI
internal import PushModel
internal import PushStore

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "Floods of bad tokens that wait for your judgement.",
        discussion: """
            When nearly all answers of an account reject tokens, a wrong certificate, topic or environment is \
            likelier than so many lost devices. The account is stopped, its messages wait, and no device is put into quarantine until \
            you decide whether the answers are to be believed. 'confirm' and 'discard' also decide about verdicts that wait without \
            a storm, as 'pushmta status' lists them.
            """,
        subcommands: [command(ShowStorms.self), StormConfirm.self, StormDiscard.self])
}

/// The storm that the operator names, and the decision that ends it.
struct StormArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "An application that is concerned, or the account as 'quarantine storm show' or 'status' has it.",
            valueName: "app|account"),
        completion: .appNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func decide(_ judgement: DecideStorm.Judgement) throws -> VerdictStep {
        let operations = try Operations(config)
        var progress = ProgressLine()
        let decided = try operations.carryOut(
            DecideStorm(storm: name, judgement: judgement),
            watchedBy: Watch(report: { decided in
                progress.show { "\(Numerals.count(decided.judged, "verdict")) judged" }
            }))
        progress.clear()
        return decided
    }
}

extension ShowStorms: Commanded {
    static let form = CommandForm(name: "show")
    static func lines(_ storms: [StormView]) -> [String] {
        guard !storms.isEmpty else { return ["no storm waits for a decision"] }
        return storms.map(\.lines).reduce([]) { $0.isEmpty ? $1 : $0 + [""] + $1 }
    }
}

struct StormConfirm: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DecideStorm.self] }

    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Believe the answers of a storm: their tokens go into quarantine.",
        discussion: """
            For devices that are really gone. A device that registered again after the answer is left alone. The \
            account goes on at once. An interruption leaves the rest waiting; the same command finishes it. Exit \
            status 1 where there is nothing to decide.
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.confirm)
        try StandardOutput.answer(
            decided, subject.json,
            """
            \(Numerals.count(decided.quarantined, "token")) quarantined, \
            \(Numerals.count(decided.counted, "error")) counted, \
            \(Numerals.grouped(decided.ignored)) left alone: registered again since, gone, or excluded already
            """)
    }
}

struct StormDiscard: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DecideStorm.self] }

    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Do not believe the answers of a storm: no token is touched.",
        discussion: """
            For a wrong certificate, topic or environment; correct it first with 'app update', or the storm comes \
            back. The account goes on at once. An interruption leaves the rest waiting; the same command finishes it. \
            Exit status 1 where there is nothing to decide.
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.discard)
        try StandardOutput.answer(
            decided, subject.json,
            "\(Numerals.count(decided.discarded, "verdict")) discarded; no token was touched")
    }
}

extension StormView {
    package var lines: [String] {
        // An app's name is easier to type than an account's.
        let name = apps.count == 1 ? apps[0].quotedForShell : account.quotedForShell
        let answers =
            "\(Numerals.grouped(aboutTokens)) of \(Numerals.grouped(accepted + aboutTokens)) reject tokens"
        return FieldList([
            ("account", account),
            ("since", since.utcText),
            ("answers", answers),
            ("held verdicts", Numerals.grouped(held)),
            ("apps", apps.joined(separator: ", ")),
            ("deliveries", deliveries.map { "\($0)" }.joined(separator: ", ")),
            (
                "what to do",
                "check certificate, bundle id and environment: 'app show', 'app test', 'app update'"
            ),
            ("", "the tokens are good: pushmta quarantine storm discard \(name)"),
            ("", "the devices are gone: pushmta quarantine storm confirm \(name)"),
        ]).lines
    }
}

extension WaitingVerdictsView {
    /// The waiting messages, the reason, the end of the wait and what an operator can do.
    var line: String {
        let name = apps.count == 1 ? apps[0].quotedForShell : account.quotedForShell
        let what = "\(Numerals.count(held, "verdict")) of \(account) since \(since.utcText)"
        let decide =
            "pushmta quarantine storm confirm \(name) disables the devices, pushmta quarantine storm discard \(name) does not"
        let text =
            switch cause {
            case .unproved:
                "\(what) wait for a decision: too few messages were accepted since the credential, topic or environment "
                    + "changed; \(decide)"
            case .contradicted:
                "\(what) wait for accepted messages or a decision: the latest answers reject nearly all tokens; \(decide)"
            case .undecided:
                "\(what) wait for more answers, and are applied at \(appliesAt?.utcText ?? "an unknown time") at the latest"
            }
        return text.printable(atMost: CommandFailure.longestLine)
    }
}
