internal import ArgumentParser

struct SubscribersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribers",
        abstract: "The subscribers of applications: import, export, count, show, remove, erase.",
        subcommands: [
            SubscribersImport.self, SubscribersExport.self, SubscribersCount.self, SubscribersShow.self,
            SubscribersRemove.self, SubscribersErase.self,
        ])
}
