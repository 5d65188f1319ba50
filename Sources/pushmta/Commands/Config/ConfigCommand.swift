internal import ArgumentParser

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check and show the configuration file.",
        subcommands: [ConfigCheck.self, ConfigShow.self])
}
