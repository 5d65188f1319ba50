internal import ArgumentParser
internal import Glibc
internal import PushModel
internal import PushOperations
internal import PushSystem

struct HostDrain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Have a host send nothing, and wait until nothing of it is under way.",
        discussion: """
            For work on a machine: the host ends what it has in hand, gives its parts and, where it leads, that too to \
            the others, and sends nothing until "host resume", also when it is started anew. Its web module goes on. \
            Returns when nothing of it is under way.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption
    @Argument(help: "The host's name or id, as \"host list\" shows them.")
    var host: String

    /// An orderly end takes as long as a gateway may take for its answers.
    private static let patienceSeconds: Int64 = 120
    private static let betweenLooksMicroseconds: UInt32 = 100_000

    func run() throws {
        let operations = try Operations(config)
        var drained = try operations.carryOut(DrainHost(host: host, isWanted: true, by: TokenCommand.caller))
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while drained.sends, Clocks.monotonic() < end {
            usleep(Self.betweenLooksMicroseconds)
            let found = try operations.carryOut(ListHosts()).first { $0.id == drained.id }
            guard let found else { break }
            drained = found
        }
        guard !json.isWanted else { return try StandardOutput.json(drained) }
        let name = drained.name.printable(atMost: 100)
        if drained.sends {
            throw CommandFailure.failed(
                "host \(name) is to send nothing, and something of it is under way still: look at 'host list'"
            )
        }
        try StandardOutput.lines([
            "host \(name) sends nothing until 'pushmta host resume \(drained.id.printable(atMost: 64))'"
        ])
        let others = try operations.carryOut(ListHosts()).contains(where: \.sends)
        if !others { StandardError.line("warning: no other host sends now: deliveries wait") }
    }
}

struct HostResume: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Have a host that was drained send again.",
        discussion: "It takes parts as soon as the others have made room for it, within a few seconds.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption
    @Argument(help: "The host's name or id, as \"host list\" shows them.")
    var host: String

    func run() throws {
        let resumed = try Operations(config).carryOut(
            DrainHost(host: host, isWanted: false, by: TokenCommand.caller))
        guard !json.isWanted else { return try StandardOutput.json(resumed) }
        let name = resumed.name.printable(atMost: 100)
        try StandardOutput.lines(["host \(name) may send: it is \(resumed.state)"])
    }
}
