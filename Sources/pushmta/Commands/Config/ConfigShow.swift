internal import ArgumentParser
internal import PushConfig
internal import PushWire

/// `config show`: what holds, and where it comes from.
struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show every setting with its effective value and where that comes from.",
        discussion: "Secrets are masked. A value comes from a line of the file or is the default.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let loaded = try Instance(config).configuration
        guard !json.isWanted else {
            return try StandardOutput.json(.array(loaded.origins.map(\.json)))
        }
        var table = TextTable(["SETTING", "VALUE", "FROM"])
        for row in loaded.origins { table.append([row.path, row.value, row.originText]) }
        try StandardOutput.lines(table.lines)
    }
}

extension ConfigurationRow {
    fileprivate var originText: String {
        switch origin {
        case .file(let line): "line \(line)"
        case .default: "default"
        }
    }

    fileprivate var json: JSONValue {
        var line: JSONValue = .null
        if case .file(let number) = origin { line = .integer(number) }
        return ["path": .string(path), "value": .string(value), "line": line]
    }
}
