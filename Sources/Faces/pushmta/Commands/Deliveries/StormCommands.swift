internal import ArgumentParser
package import PushAPI
internal import PushModel
internal import PushStore

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Show, confirm and discard storms, which are floods of rejected "
            + "tokens.",
        discussion: """
            If nearly all answers to an account reject tokens, a wrong certificate, topic or environment is \
            more likely than the loss of that many devices. The account is stopped, its messages wait, and \
            no device is put into quarantine until you decide whether the answers are correct. 'confirm' and \
            'discard' also decide on verdicts that wait although there is no storm. 'pushmta status' lists \
            such verdicts.
            """,
        subcommands: [command(ShowStorms.self), StormConfirm.self, StormDiscard.self])
}

/// The storm that the operator names, and the decision that ends it.
struct StormArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "An affected application, or the account as shown by 'quarantine storm show' or 'status'.",
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

extension ShowStorms: CommandUseCase {
    static let form = CommandForm(name: "show", discussion: "Example: pushmta quarantine storm show")
    static func lines(_ storms: [StormView]) -> [String] {
        guard !storms.isEmpty else { return ["no storm waits for a decision"] }
        return storms.map(\.lines).reduce([]) { $0.isEmpty ? $1 : $0 + [""] + $1 }
    }
}

struct StormConfirm: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DecideStorm.self] }

    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Confirm the answers of a storm: their tokens go into quarantine.",
        discussion: """
            Use this command if the app no longer exists on the devices. A device that registered again \
            after the answer stays unchanged. The account continues immediately. If the command is \
            interrupted, the remaining answers still wait; run the same command again to finish. Exit status \
            1 if there is nothing to decide.

            Example: pushmta quarantine storm confirm shop-ios
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.confirm)
        try StandardOutput.answer(
            decided, subject.json,
            """
            \(Numerals.count(decided.quarantined, "token")) quarantined, \
            \(Numerals.count(decided.counted, "error")) counted, \
            \(Numerals.grouped(decided.ignored)) unchanged: registered again since, removed, or excluded \
            already
            """)
    }
}

struct StormDiscard: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DecideStorm.self] }

    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Discard the answers of a storm: no token is affected.",
        discussion: """
            Use this command for a wrong certificate, topic or environment. Correct it first with 'app \
            update', or the storm begins again. The account continues immediately. If the command is \
            interrupted, the remaining answers still wait; run the same command again to finish. Exit status \
            1 if there is nothing to decide.

            Example: pushmta quarantine storm discard shop-ios
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let decided = try subject.decide(.discard)
        try StandardOutput.answer(
            decided, subject.json,
            "\(Numerals.count(decided.discarded, "verdict")) discarded; no token was affected")
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
                "check the certificate, bundle id and environment: 'app show', 'app test', 'app update'"
            ),
            ("", "if the tokens are good: pushmta quarantine storm discard \(name)"),
            ("", "if the devices are gone: pushmta quarantine storm confirm \(name)"),
        ]).lines
    }
}

extension WaitingVerdictsView {
    /// One line that states how many verdicts wait, what they wait for and until when, and what an operator
    /// can do.
    var line: String {
        let name = apps.count == 1 ? apps[0].quotedForShell : account.quotedForShell
        let what = "\(Numerals.count(held, "verdict")) of \(account) since \(since.utcText)"
        let decide =
            """
            pushmta quarantine storm confirm \(name) disables the devices, pushmta quarantine storm \
            discard \(name) does not
            """
        let text =
            switch cause {
            case .unproved:
                "\(what) wait for a decision: too few messages were accepted since the credential, topic or "
                    + "environment changed; \(decide)"
            case .contradicted:
                """
                \(what) wait for accepted messages or a decision: the latest answers reject nearly all \
                tokens; \(decide)
                """
            case .undecided:
                """
                \(what) wait for more answers, and are applied at \
                \(appliesAt?.utcText ?? "an unknown time") at the latest
                """
            }
        return text.printable(atMost: CommandFailure.maxLineLength)
    }
}
