internal import ArgumentParser
internal import PushOperations

struct FeedbackPollCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Read an application's feedback service now, and apply what it tells.",
        discussion: """
            The service names devices from which the app is gone, and since when. A subscriber is disabled only where \
            it did not register after that. Each change is printed with its evidence.

            A running master does the same every nmac/iosBinary/@feedbackPeriodSec; asking in between does no harm. \
            Exit status 1 where the service cannot be read to its end: what it told before that is applied.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var app: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        var output = FeedbackOutput(printsChanges: !json.isWanted)
        let polled = try operations.carryOut(
            PollFeedback(app: app), watchedBy: Watch(report: { output.take($0) }))
        if json.isWanted {
            try StandardOutput.json(ShownFeedback(polled: polled, changes: output.kept))
        } else if polled.trouble == nil || polled.counts.told > 0 {
            try StandardOutput.line(polled.counts.text)
        }
        if let failure = output.failure { throw failure }
        if let failure = polled.failure { throw failure }
        guard let trouble = polled.trouble else { return }
        let kept =
            switch polled.counts.told {
            case 0: ""
            case 1: "; the 1 device told of before is dealt with"
            default: "; the \(Numerals.grouped(polled.counts.told)) devices told of before are dealt with"
            }
        throw CommandFailure.failed(
            "the feedback service of \(polled.app) could not be read to its end: \(trouble)" + kept)
    }
}
