internal import ArgumentParser

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Subscribers that are not sent to, because of what gateways said of them.",
        subcommands: [QuarantineList.self, QuarantineRelease.self, StormCommand.self])
}
