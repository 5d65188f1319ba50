internal import ArgumentParser
internal import PushOperations

struct StormShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the storms that nobody has judged yet, and what to do about them.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let storms = try Operations(config).carryOut(ShowStorms())
        if json.isWanted { return try StandardOutput.json(storms) }
        guard !storms.isEmpty else { return try StandardOutput.line("no storm waits for a decision") }
        for (place, storm) in storms.enumerated() {
            if place > 0 { try StandardOutput.line("") }
            try StandardOutput.lines(storm.lines)
        }
    }
}
