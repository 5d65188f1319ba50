internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct DeliveryStats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print what became of a delivery, in figures.",
        discussion: """
            Targeted, excluded by reason, sent, failed by type and reason, received and clicked; over time with --json and \
            --csv. The figures stay when the messages are removed; 'delivery recount' counts them anew before that.
            """)

    @Argument(help: "The delivery's id.", completion: .deliveryIDs)
    var id: DeliveryID

    @Flag(
        help: ArgumentHelp(
            "Also count what devices it was sent to.",
            discussion: "By platform, system and language. Reads all messages: a million take seconds."))
    var devices = false

    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try Operations(config).carryOut(
            ShowDeliveryStatistics(id: id, looksAtDevices: devices))
        if format.json { return try StandardOutput.json(statistics) }
        if format.csv { return try StandardOutput.bytes(statistics.csv) }
        try StandardOutput.lines(statistics.lines)
    }
}

/// How statistics are printed.
struct StatisticsFormat: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Flag(help: "Print CSV instead of text: a row for each figure.")
    var csv = false

    func validate() throws {
        if json, csv { throw ValidationError("Give --json or --csv, not both.") }
    }
}
