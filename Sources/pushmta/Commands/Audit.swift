internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushStore
internal import PushWire

struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Show who changed what, the newest first.",
        discussion: """
            A line for each change over the API or by a command, with the token's name or the command's user. It is in \
            the same transaction as the change. Single messages have no line. A line is kept for 400 days.
            """)

    @Option(help: ArgumentHelp("Maximum number of lines.", valueName: "count"))
    var limit = 100

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard ReadAudit.limits.contains(limit) else {
            throw ValidationError("--limit takes 1 to \(ReadAudit.limits.upperBound).")
        }
    }

    func run() throws {
        let page = try Operations(config).carryOut(ReadAudit(limit: limit))
        guard !json.isWanted else {
            return try StandardOutput.json(
                [
                    "lines": page.items.json ?? .null, "next": page.cursor.json ?? .null,
                ] as JSONValue)
        }
        var table = TextTable(["AT", "WHO", "ACTION", "WHAT"])
        for line in page.items { table.append([line.at.utcText, line.who, line.action, line.what]) }
        try StandardOutput.lines(table.lines)
    }
}
