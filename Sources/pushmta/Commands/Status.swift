internal import ArgumentParser
internal import PushOperations

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the running master, its children, accounts and open deliveries.",
        discussion: "Exit status 1 where no master runs; what waits is shown all the same.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let status = try Operations(config).carryOut(ShowStatus())
        if json.isWanted { try StandardOutput.json(status) } else { try StandardOutput.lines(status.lines) }
        if !status.running { throw Ending.failed }
    }
}
