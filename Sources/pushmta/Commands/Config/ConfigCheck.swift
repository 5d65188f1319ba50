internal import ArgumentParser
internal import PushOperations

/// `config check`: everything that is to be said about the file, good or bad.
struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what is wrong with the configuration file, each with line and column.",
        discussion: """
            Errors keep commands from working; warnings, notes and settings that have no effect do not. The files \
            that settings name are opened. Where there are apps that it concerns, notes say what rate to Android the \
            settings can reach, where that is less than the quota, and what rate to the old binary gateway. \
            Exit status 3 where there is an error, 1 where the file cannot be read.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let report = try CheckConfiguration(path: config.path).perform(productVersion: ProductVersion.text)
        if json.isWanted { try StandardOutput.json(report) } else { try StandardOutput.lines(report.lines) }
        if !report.valid { throw Ending.refused }
    }
}
