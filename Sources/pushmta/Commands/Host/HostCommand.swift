internal import ArgumentParser

struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Hosts that share a store on PostgreSQL.",
        discussion: """
            Several hosts may run "pushmta run" on one database: one serves, the others stand by and take over.
            """,
        subcommands: [HostList.self])
}
