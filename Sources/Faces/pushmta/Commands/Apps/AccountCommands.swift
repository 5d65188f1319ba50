internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushStore

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Manage accounts, which apps with the same credential share.",
        discussion:
            "\"pushmta status\" lists the accounts of the running master and the reasons why they wait.",
        subcommands: [command(ResumeAccount.self)])
}

extension ResumeAccount: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            An account waits if its gateway cannot be reached, refuses the account or requests a pause. A \
            topic that the gateway refuses waits too. This command immediately sends one message of the \
            account, and one message of each of its refused topics. If the gateway accepts such a message, \
            the other messages follow. An account that is working is not affected. The command applies to \
            all hosts that send from the store. A message that has its own time for the next attempt keeps \
            that time. Exit status 3 if a storm stopped the account (see "quarantine storm show").

            Example: pushmta account resume shop-ios
            """)
    static func lines(_ resumed: Answer) -> [String] {
        var line =
            resumed.changed
            ? "account \(resumed.account) contacts its gateway now; it was waiting: \(resumed.reason ?? "")"
            : "account \(resumed.account) was not waiting"
        if resumed.otherHosts > 0 {
            let hosts = resumed.otherHosts == 1 ? "1 other host" : "\(resumed.otherHosts) other hosts"
            line +=
                (resumed.changed ? "" : " on this host")
                + "; \(hosts) will do the same if the account waits there"
        }
        return [line]
    }
}

struct FeedbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "Read the feedback service of the old binary gateway.",
        subcommands: [FeedbackPollCommand.self])
}

struct FeedbackPollCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Read an application's feedback service now and apply its reports.",
        discussion: """
            The service lists devices from which the app was removed, and the time of the removal. A \
            subscriber is disabled only if it did not register after that time. Each change is printed with \
            its evidence.

            A running master does this automatically, at the interval nmac/iosBinary/@feedbackPeriodSec. You \
            can safely read the service in between. Exit status 1 if the service cannot be read completely; \
            the reports that were received before the failure are applied.

            Example: pushmta feedback poll shop-ios
            """)

    @OptionGroup var members: MemberArguments<PollFeedback>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let (request, operations) = (try members.request(), try Operations(config))
        var output = FeedbackOutput(printsChanges: !json.isWanted)
        let polled = try operations.carryOut(request, watchedBy: Watch(report: { output.take($0) }))
        if json.isWanted {
            try StandardOutput.json(ShownFeedback(polled: polled, changes: output.kept))
        } else if polled.trouble == nil || polled.told > 0 {
            try StandardOutput.lines(PollFeedback.lines(polled))
        }
        if let failure = output.failure { throw failure }
        if let failure = polled.failure { throw CommandFailure.failed(failure) }
        guard let trouble = polled.trouble else { return }
        let kept =
            switch polled.told {
            case 0: ""
            case 1: "; the 1 report received before the failure was applied"
            default: "; the \(Numerals.grouped(polled.told)) reports received before the failure were applied"
            }
        throw CommandFailure.failed(
            """
            the feedback service of \(polled.app) could not be read completely: \(trouble)\(kept); read it \
            again
            """)
    }
}

extension PollFeedback: CommandUseCase {
    static func lines(_ polled: Answer) -> [String] {
        let rest = [
            "\(polled.disabled) disabled", "\(polled.registeredAgain) kept because they registered again",
            "\(polled.excludedAlready) excluded already", "\(polled.unknown) unknown",
        ]
        return ["\(Numerals.count(polled.told, "device")): \(rest.joined(separator: ", "))"]
    }
}

/// The output of the changes that a feedback service reports: either printed as text immediately, or
/// collected for JSON.
struct FeedbackOutput {
    let printsChanges: Bool
    /// The changes that were collected for JSON.
    private(set) var kept: [FeedbackFinding] = []
    /// The first error that prevented a line from being written. Further changes are still processed, because
    /// the feedback service has already forgotten them.
    private(set) var failure: (any Error)?

    init(printsChanges: Bool) { self.printsChanges = printsChanges }

    mutating func take(_ change: FeedbackFinding) {
        guard printsChanges else { return kept.append(change) }
        guard failure == nil else { return }
        do { try StandardOutput.line(change.description) } catch { failure = error }
    }
}
