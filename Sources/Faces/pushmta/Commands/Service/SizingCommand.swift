internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel

/// `sizing`: calculates the resources that an installation needs for a given rate.
struct SizingCommand: ProcessCommand {
    static let localReason =
        """
        The command only calculates from its options and a configuration file; no instance has to be running \
        on the machine.
        """

    static let configuration = CommandConfiguration(
        commandName: "sizing",
        abstract: "Calculate the children, connections, streams and memory that a rate needs, and what "
            + "limits the rate.",
        discussion: """
            The calculation is for one account. It uses the settings of the configuration file, or their \
            defaults if there is no file, and the results in Measurements.md of the documentation. The \
            command shows the rate that each limit permits with the current settings and with the proposed \
            changes, and lists the proposed changes by setting. The command changes nothing and does not use \
            the network. Figures differ between kinds of machines: measure your own machine with 'pushload \
            report'.

            Example: pushmta sizing --rate 40000 --rtt 80
            """)

    enum Gateway: String, CaseIterable, ExpressibleByArgument {
        /// APNs over HTTP/2.
        case ios
        /// FCM HTTP v1, through the V2 connector.
        case android

        var connector: ConnectorName { self == .ios ? .iosHTTP2 : .androidPushConnectorV2 }
        var text: String { self == .ios ? "APNs" : "FCM" }
    }

    @Option(
        help: ArgumentHelp("Messages per second, 1 to 10000000.", valueName: "count"),
        transform: NumberArgument.within(1...10_000_000))
    var rate: Int
    @Option(
        help: ArgumentHelp(
            "Milliseconds from a request to its answer (round trip and gateway), 1 to 3600000.",
            valueName: "ms"),
        transform: NumberArgument.within(1...3_600_000))
    var rtt: Int
    @Option(
        help: "The gateway: ios is APNs over HTTP/2, android is FCM HTTP v1 through androidPushConnectorV2.")
    var platform = Gateway.ios
    @Option(
        help: ArgumentHelp(
            "Streams that the gateway allows per connection, 1 to 1000000. Default: the usual limit of this "
                + "kind of gateway, which is not guaranteed; 'pushmta explain' shows an account's actual "
                + "limit.",
            valueName: "count"),
        transform: NumberArgument.within(1...1_000_000))
    var streams: Int?
    @Option(
        help: ArgumentHelp(
            "Cores of the host, 1 to 4096. Default: the cores of this machine.", valueName: "count"),
        transform: NumberArgument.within(1...4_096))
    var cores: Int?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let loaded = try config.pathOfFile.map { path throws(ConfigurationError) in
            try ConfigurationFile.load(
                path: path, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text)
        }
        let view = try Sizing(
            rate: rate, roundTripMilliseconds: rtt, streams: streams, cores: cores ?? Self.coresHere,
            connector: platform.connector, settings: loaded?.settings ?? ServerConfiguration()
        ).result()
        if json.isWanted { return try StandardOutput.json(view) }
        try StandardOutput.lines(view.lines(gateway: platform.text, file: loaded?.path))
    }

    private static var coresHere: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
