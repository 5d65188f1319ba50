internal import ArgumentParser
internal import PushOperations

struct ServiceStats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Print who subscribes to a service, in figures.",
        discussion: """
            By app and state, by device, and by the day of the first registration (in UTC, of those who are there now). \
            Reads all subscribers: a million take seconds.
            """)

    @Argument(help: "The service's name.", completion: .serviceNames)
    var name: String

    @OptionGroup var format: StatisticsFormat
    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let statistics = try Operations(config).carryOut(ShowServiceStatistics(name: name))
        if format.json { return try StandardOutput.json(statistics) }
        if format.csv { return try StandardOutput.bytes(statistics.csv) }
        try StandardOutput.lines(statistics.lines)
    }
}
