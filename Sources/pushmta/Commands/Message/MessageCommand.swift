internal import ArgumentParser

struct MessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "See what became of a message that was sent by itself.",
        subcommands: [MessageShow.self])
}
