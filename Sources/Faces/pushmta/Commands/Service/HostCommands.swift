internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Hosts that share a store on PostgreSQL.",
        discussion: """
            Several hosts may run "pushmta run" on one database: all send, each \
            its own parts of deliveries; one leads, and another takes that over.
            """,
        subcommands: [command(ListHosts.self), HostDrain.self, HostResume.self])
}

extension ListHosts: Commanded {
    static let form = CommandForm(
        discussion: """
            States: leading, it prepares and expires for all and sends too; sending; draining and \
            drained, see "host drain"; standby, before it sends; gone \
            after an orderly end; lost when it fell silent. SILENT is the age of its last word in seconds: a host that \
            lives has one each second, which says the figures. PARTS are those of deliveries that are its own; \
            UNRECORDED messages are with its children, or answered and not recorded; PER SECOND were answered, within \
            the last ten. '*' marks this host. A store in a file has one host, and the list is empty.
            """)
    static func lines(_ hosts: [HostView]) -> [String] { HostView.table(hosts).lines }
}

struct HostDrain: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DrainHost.self, ListHosts.self] }

    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Have a host send nothing, and wait until nothing of it is under way.",
        discussion: """
            For work on a machine: the host ends what it has in hand, gives its parts and, where it leads, that too to \
            the others, and sends nothing until "host resume", also when it is started anew. Its web module goes on. \
            Returns when nothing of it is under way.
            """)

    @OptionGroup var members: MemberArguments<DrainHost>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    /// How long to wait. An orderly end takes as long as a gateway may take to answer.
    private static let patienceSeconds: Int64 = 120
    private static let betweenLooksMicroseconds: UInt32 = 100_000

    func run() throws {
        let operations = try Operations(config)
        let told = try tell(operations)
        let (drained, trouble) = wait(for: told, operations)
        let name = drained.name.printable(atMost: 100)
        if json.isWanted { try StandardOutput.json(drained) }
        if let trouble {
            throw CommandFailure.failed(
                "host \(name) is to send nothing; whether something of it is under way cannot be seen: \(trouble); "
                    + "look at 'pushmta host list'")
        }
        if drained.sends {
            throw CommandFailure.failed(
                "host \(name) is to send nothing, and something of it is under way still: look at 'pushmta host list'"
            )
        }
        guard !json.isWanted else { return }
        try StandardOutput.lines([
            "host \(name) sends nothing until 'pushmta host resume \(drained.id.printable(atMost: 64))'"
        ])
        let others = try operations.carryOut(ListHosts()).contains(where: \.sends)
        if !others { StandardError.line("warning: no other host sends now: deliveries wait") }
    }

    private func tell(_ operations: Operations) throws -> HostView {
        let order = try members.request(with: ["isWanted": .boolean(true)])
        do { return try operations.carryOut(order) } catch {
            guard error.kind == .unavailable else { throw error }
            throw CommandFailure.failed(
                "\(error); it may have heard of it all the same: look at 'pushmta \(order.followUpCommand)'")
        }
    }

    /// Waits for the host to drain. If the store restarts in the meantime, the wait continues.
    /// - Returns: The last known state of the host, and the error that prevents it from being read now.
    private func wait(
        for told: HostView, _ operations: Operations
    ) -> (host: HostView, trouble: OperationError?) {
        var drained = told
        var trouble: OperationError?
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while drained.sends || trouble != nil, Clocks.monotonic() < end {
            usleep(Self.betweenLooksMicroseconds)
            do {
                let hosts = try operations.carryOut(ListHosts())
                trouble = nil
                guard let found = hosts.first(where: { $0.id == told.id }) else { break }
                drained = found
            } catch {
                trouble = error
            }
        }
        return (drained, trouble)
    }
}

struct HostResume: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Have a host that was drained send again.",
        discussion: "It takes parts as soon as the others have made room for it, within a few seconds.")

    @OptionGroup var members: MemberArguments<DrainHost>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["isWanted": .boolean(false)]).run(by: Operations(config), json)
    }
}

extension DrainHost: Commanded {
    static let form = CommandForm(without: ["isWanted"])
    /// Returns the output for a host that may send again.
    static func lines(_ resumed: HostView) -> [String] {
        let name = resumed.name.printable(atMost: 100)
        return [
            "host \(name) may send\(resumed.hasGone ? " when it is started" : ""): it is \(resumed.state)"
        ]
    }
}

extension HostView {
    /// Returns the table that `host list` and `status` show.
    static func table(_ hosts: [HostView]) -> TextTable {
        var table = TextTable(
            [
                "NAME", "STATE", "SILENT", "PARTS", "UNRECORDED", "PER SECOND", "GENERATION", "SINCE",
                "RELEASE",
                "ID",
            ], numeric: ["SILENT", "PARTS", "UNRECORDED", "PER SECOND", "GENERATION"])
        for host in hosts {
            table.append([
                host.name.printable(atMost: 100) + (host.isThis ? " *" : ""), host.state,
                "\(host.silentSeconds)", "\(host.parts)", "\(host.unrecorded)",
                "\(host.answersPerSecond)", "\(host.generation)", host.since.utcText,
                host.release.printable(atMost: 100), host.id.printable(atMost: 64),
            ])
        }
        return table
    }
}
