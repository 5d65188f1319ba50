internal import ArgumentParser

struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure import and sending, end to end by the command line.",
        discussion: """
            The sink does not keep a log and shares the machine's cores with the engine, so the rate is that of both \
            together; the CPU is told for each. Prints a table for Docs/Measurements.md.
            """)

    @Option(help: ArgumentHelp("Subscribers, and messages of the delivery.", valueName: "count"))
    var messages = 1_000_000

    @Option(help: "ios: APNs; android: FCM HTTP v1 by the V2 connector; ios-binary: APNs' ended protocol.")
    var platform = Testbed.Platform.ios

    @Option(help: ArgumentHelp("Parallel requests to FCM (maxGCMConnectPerChild).", valueName: "count"))
    var parallel = 500

    @Option(help: ArgumentHelp("FCM's quota (messagesPerMinute); 0: none.", valueName: "count"))
    var perMinute = 0

    @Option(
        help: ArgumentHelp(
            "Frames of the binary protocol that wait for a second's silence (unconfirmedFrames).",
            valueName: "count"))
    var unconfirmed = 1_000_000

    @Option(help: "Children at most (maxSpareServers).")
    var children = 1

    @Option(help: "Concurrent streams that the gateway allows on a connection.")
    var streams = 1_000

    @Option(
        help: ArgumentHelp("Messages in a child's hands at most (maxWaitingMessages).", valueName: "count"))
    var capacity = 20_000

    @Option(
        name: .customLong("delay-ms"),
        help: ArgumentHelp("What the gateway takes for an answer.", valueName: "ms"))
    var delay = 0

    @Option(help: "The store's engine: sqlite; postgresql: a server of the run's own, on the same cores.")
    var store = TestbedSettings.usualStore

    @Flag(help: "Subscribers have parameters, and the content is personalised by three of them.")
    var personal = false

    @Flag(
        help: "Subscribers have parameters, of which the content asks for none: to compare --personal with.")
    var parameters = false

    @Flag(help: "Do not count distinct tokens and ids at the gateway, nor parse payloads there.")
    var fast = false

    func validate() throws {
        guard (1...10_000_000).contains(messages) else {
            throw ValidationError("--messages takes 1 to 10000000.")
        }
        guard (1...1_000).contains(parallel) else { throw ValidationError("--parallel takes 1 to 1000.") }
        guard (0...100_000_000).contains(perMinute) else {
            throw ValidationError("--per-minute takes 0 to 100000000.")
        }
        guard (1...10_000_000).contains(unconfirmed) else {
            throw ValidationError("--unconfirmed takes 1 to 10000000.")
        }
        guard (1...64).contains(children) else { throw ValidationError("--children takes 1 to 64.") }
        guard (1...100_000).contains(streams) else { throw ValidationError("--streams takes 1 to 100000.") }
        guard (1...1_000_000).contains(capacity) else {
            throw ValidationError("--capacity takes 1 to 1000000.")
        }
        guard (0...60_000).contains(delay) else { throw ValidationError("--delay-ms takes 0 to 60000.") }
    }

    func run() async throws {
        var settings = TestbedSettings()
        settings.store = store
        settings.children = children
        settings.childrenAtStart = children
        settings.capacity = capacity
        settings.gateway.streams = streams
        settings.gateway.delayMilliseconds = delay
        if platform == .android {
            settings.parallelRequests = parallel
            settings.messagesPerMinute = perMinute
            var fcm = TestbedSettings.Gateway.FCM()
            fcm.streams = streams
            fcm.delayMilliseconds = delay
            settings.gateway.fcm = fcm
        }
        if platform == .iosBinary {
            settings.binary.unconfirmedFrames = unconfirmed
            settings.gateway.binary = TestbedSettings.Gateway.Binary()
        }
        settings.gateway.keepsLog = false
        settings.gateway.isFast = fast
        let command =
            "pushload bench --messages \(messages) --children \(children) --streams \(streams) --capacity \(capacity) "
            + "--delay-ms \(delay) --store \(store.rawValue)\(fast ? " --fast" : "")"
            + (personal ? " --personal" : parameters ? " --parameters" : "")
            + (platform == .android
                ? " --platform android --parallel \(parallel) --per-minute \(perMinute)" : "")
            + (platform == .iosBinary ? " --platform ios-binary --unconfirmed \(unconfirmed)" : "")
        try await Testbed.use(settings) { testbed in
            let measurement = Measurement(
                messages: messages, platform: platform, hasParameters: personal || parameters,
                isPersonal: personal)
            let figures = try await measurement.run(in: testbed)
            BenchReport(command: command, messages: messages, figures: figures).lines.forEach(Terminal.line)
        }
    }
}

extension Testbed.Platform: ExpressibleByArgument {}
