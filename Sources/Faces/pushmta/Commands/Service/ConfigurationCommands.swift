internal import ArgumentParser
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check and show the configuration file.",
        subcommands: [ConfigCheck.self, ConfigShow.self])
}

/// `config check`: reports all findings about the file, good or bad.
struct ConfigCheck: PerformingCommand {
    static var useCases: [any UseCase.Type] { [CheckConfiguration.self] }

    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the configuration file, and report each fault with its line and column.",
        discussion: """
            Errors prevent commands from working; warnings, notes and settings that have no effect do not. \
            The files that settings name are opened. If there are Android apps and the settings cannot reach \
            the quota, a note reports the rate that they can reach. If there are apps for the old binary \
            gateway, a note reports their rate. Exit status 3 if there is an error, 1 if the file cannot be \
            read.

            Example: pushmta config check --config serverConf.xml
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let report = try ConfigurationFileCheck(path: config.path).perform(
            productVersion: ProductVersion.text)
        if json.isWanted { try StandardOutput.json(report) } else { try StandardOutput.lines(report.lines) }
        if !report.valid { throw CommandExit.refused }
    }
}

/// `config show`: shows the effective settings and their origins.
struct ConfigShow: PerformingCommand {
    static var useCases: [any UseCase.Type] { [ShowConfiguration.self] }

    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every setting with its effective value and the source of the value.",
        discussion: """
            Secrets are masked. The source of a value is a line of the file or the default.

            Example: pushmta config show --json
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        // Read only the file, so that settings are shown even if the store cannot be opened.
        let settings = try ConfigurationFile.load(
            path: config.path, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text
        )
        .origins
        if json.isWanted { return try StandardOutput.json(settings) }
        var table = TextTable(["SETTING", "VALUE", "FROM"])
        for row in settings {
            table.append([row.path, row.value, row.line.map { "line \($0)" } ?? "default"])
        }
        try StandardOutput.lines(table.lines)
    }
}

extension ConfigurationReport {
    var lines: [String] {
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count { $0.severity == .warning }
        let sum = valid ? "good" : Numerals.count(errors, "error")
        return findings.map { $0.text(inFile: path) } + [
            "\(path): \(sum), \(Numerals.count(warnings, "warning"))"
        ]
    }
}
