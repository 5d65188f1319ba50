internal import ArgumentParser
internal import PushConfig
internal import PushOperations

/// `config show`: what holds, and where it comes from.
struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show every setting with its effective value and where that comes from.",
        discussion: "Secrets are masked. A value comes from a line of the file or is the default.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        // The file alone: settings are shown also where the store cannot be opened.
        let settings = try ConfigurationFile.load(path: config.path, productVersion: ProductVersion.text)
            .origins
        if json.isWanted { return try StandardOutput.json(settings) }
        var table = TextTable(["SETTING", "VALUE", "FROM"])
        for row in settings {
            table.append([row.path, row.value, row.line.map { "line \($0)" } ?? "default"])
        }
        try StandardOutput.lines(table.lines)
    }
}
