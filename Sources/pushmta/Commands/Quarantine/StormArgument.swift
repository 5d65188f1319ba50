internal import ArgumentParser
internal import PushOperations
internal import PushStore

/// Which storm is meant, and its end.
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
