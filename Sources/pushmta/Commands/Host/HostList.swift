internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct HostList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the hosts, the one that serves first.",
        discussion: """
            States: serving; standby; gone after an orderly end; lost when another took over. SILENT is the age of its \
            last word in seconds: a host that lives has one each second. '*' marks this host. A store in a file has one \
            host, and the list is empty.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let hosts = try Operations(config).carryOut(ListHosts())
        guard !json.isWanted else { return try StandardOutput.json(hosts) }
        var table = TextTable(
            ["NAME", "STATE", "SILENT", "GENERATION", "SINCE", "RELEASE", "ID"],
            numeric: ["SILENT", "GENERATION"])
        for host in hosts {
            table.append([
                host.name.printable(atMost: 100) + (host.isThis ? " *" : ""), host.state,
                "\(host.silentSeconds)", "\(host.generation)", host.since.utcText,
                host.release.printable(atMost: 100), host.id.printable(atMost: 64),
            ])
        }
        try StandardOutput.lines(table.lines)
    }
}
