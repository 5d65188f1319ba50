internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct StormShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the storms that nobody has judged yet, and what to do about them.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let storms = try Storms(of: try Instance(config).openStore())
        guard !json.isWanted else { return try StandardOutput.json(.array(storms.all.map(\.json))) }
        guard !storms.all.isEmpty else { return try StandardOutput.line("no storm waits for a decision") }
        for (place, storm) in storms.all.enumerated() {
            if place > 0 { try StandardOutput.line("") }
            try StandardOutput.lines(storm.lines)
        }
    }
}
