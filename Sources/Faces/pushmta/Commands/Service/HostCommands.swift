internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushModel
internal import PushSystem
internal import PushWire

struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Manage hosts that share a store on PostgreSQL.",
        discussion: """
            Several hosts can run "pushmta run" on one database. All of them send, and each host sends its \
            own parts of deliveries. One host leads, and another one can take over this role.
            """,
        subcommands: [command(ListHosts.self), HostDrain.self, HostResume.self])
}

extension ListHosts: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            States: leading (prepares and expires messages for all hosts, and sends too), sending, draining \
            and drained (see "host drain"), standby (the host does not send yet), gone (the host ended in an \
            orderly way), and lost (the host stopped reporting). SILENT is the age of the host's last report \
            in seconds; a live host reports its figures every second. PARTS are the parts of deliveries that \
            the host owns. UNRECORDED is the number of messages that are in the host's children, or whose \
            answers are not yet recorded. PER SECOND is the rate of answers within the last ten seconds. '*' \
            marks the host on which the command runs. A store in a file has only one host, so the list is \
            empty.

            Example: pushmta host list
            """)
    static func lines(_ hosts: [HostView]) -> [String] { HostView.table(hosts).lines }
}

struct HostDrain: PerformingCommand {
    static var useCases: [any UseCase.Type] { [DrainHost.self, ListHosts.self] }

    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Stop sending on a host, and wait until its requests in progress are complete.",
        discussion: """
            Use this command before you work on a machine. The host completes requests in progress and hands \
            over its parts to the other hosts. If the host leads, it also hands over leadership. The host \
            sends nothing until "host resume", even after a restart. Its web module keeps running. The \
            command returns when the host has no more requests in progress.

            Example: pushmta host drain push1
            """)

    @OptionGroup var members: MemberArguments<DrainHost>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    /// The maximum wait, in seconds. Draining can take as long as a gateway may take to answer.
    private static let patienceSeconds: Int64 = 120
    private static let betweenLooksMicroseconds: UInt32 = 100_000

    func run() throws {
        let operations = try Operations(config)
        let told = try tell(operations)
        let (drained, failure) = wait(for: told, operations)
        let name = drained.name.printable(atMost: 100)
        if json.isWanted { try StandardOutput.json(drained) }
        if let failure {
            throw CommandFailure.failed(
                "host \(name) will stop sending, but it is unknown whether it still has requests in "
                    + "progress: \(failure); look at 'pushmta host list'")
        }
        if drained.sends {
            throw CommandFailure.failed(
                "host \(name) will stop sending, but still has requests in progress: see 'pushmta host list'"
            )
        }
        guard !json.isWanted else { return }
        try StandardOutput.lines([
            "host \(name) sends nothing until 'pushmta host resume \(drained.id.printable(atMost: 64))'"
        ])
        let others = try operations.carryOut(ListHosts()).contains(where: \.sends)
        if !others { StandardError.line("warning: no other host is sending, so deliveries wait") }
    }

    private func tell(_ operations: Operations) throws -> HostView {
        let order = try members.request(with: ["isWanted": .boolean(true)])
        do { return try operations.carryOut(order) } catch {
            guard error.kind == .unavailable else { throw error }
            throw CommandFailure.failed(
                """
                \(error); the order may have arrived nevertheless: look at 'pushmta \
                \(order.followUpCommand)'
                """
            )
        }
    }

    /// Waits for the host to drain. If the store restarts in the meantime, the wait continues.
    /// - Returns: The last known state of the host, and the error that currently prevents the state from
    ///   being read.
    private func wait(
        for told: HostView, _ operations: Operations
    ) -> (host: HostView, failure: OperationError?) {
        var drained = told
        var failure: OperationError?
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while drained.sends || failure != nil, Clocks.monotonic() < end {
            usleep(Self.betweenLooksMicroseconds)
            do {
                let hosts = try operations.carryOut(ListHosts())
                failure = nil
                guard let found = hosts.first(where: { $0.id == told.id }) else { break }
                drained = found
            } catch {
                failure = error
            }
        }
        return (drained, failure)
    }
}

struct HostResume: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a drained host send again.",
        discussion: """
            The host receives parts of deliveries within a few seconds, when the other hosts have handed \
            them over.

            Example: pushmta host resume push1
            """)

    @OptionGroup var members: MemberArguments<DrainHost>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["isWanted": .boolean(false)]).run(by: Operations(config), json)
    }
}

extension DrainHost: CommandUseCase {
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
    /// The steps that make the table narrower.
    static let narrowing: [TextTable.Narrowing] = [
        .shorten("ID", to: 8), .drop("RELEASE"), .drop("SINCE"), .drop("GENERATION"),
        .shorten("NAME", to: 20),
        .drop("ID"), .shorten("NAME", to: 8),
    ]

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
