internal import ArgumentParser

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Move the store.", subcommands: [StoreCopyCommand.self])
}
