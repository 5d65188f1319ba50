internal import ArgumentParser

struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Hosts that share a store on PostgreSQL.",
        discussion: """
            Several hosts may run "pushmta run" on one database: all send, each \
            its own parts of deliveries; one leads, and another takes that over.
            """,
        subcommands: [HostList.self, HostDrain.self, HostResume.self])
}
