internal import ArgumentParser

struct AppCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Applications: a platform, a gateway's credential, subscribers.",
        subcommands: [
            AppCreate.self, AppList.self, AppShow.self, AppUpdate.self, AppDelete.self, AppTest.self,
        ])
}
