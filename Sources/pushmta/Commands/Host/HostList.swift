internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct HostList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the hosts, the one that leads first.",
        discussion: """
            States: leading, it prepares and expires for all and sends too; sending; draining and \
            drained, see "host drain"; standby, before it sends; gone \
            after an orderly end; lost when it fell silent. SILENT is the age of its last word in seconds: a host that \
            lives has one each second, which says the figures. PARTS are those of deliveries that are its own; \
            UNRECORDED messages are with its children, or answered and not recorded; PER SECOND were answered, within \
            the last ten. '*' marks this host. A store in a file has one host, and the list is empty.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let hosts = try Operations(config).carryOut(ListHosts())
        guard !json.isWanted else { return try StandardOutput.json(hosts) }
        try StandardOutput.lines(HostView.table(hosts).lines)
    }
}
