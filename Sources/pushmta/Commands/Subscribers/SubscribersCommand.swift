internal import ArgumentParser

struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers", abstract: "Import, export and count the subscribers of an application.",
        subcommands: [SubscribersImport.self, SubscribersExport.self, SubscribersCount.self])
}
