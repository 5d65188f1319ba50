internal import ArgumentParser

/// One import and one delivery, with the CPU time and memory of all processes that took part.
///
/// The CPU time is the time that the kernel charged to each process. It is sampled when the delivery is
/// submitted and when the delivery is over. The CPU time of children that ended between the two samples is
/// part of the master's time for ended children.
struct BenchScenario: Scenario {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure import and sending from end to end, through the command line.",
        discussion: """
            The sink does not write a log. The sink and the engine share the machine's cores, so the engine \
            alone would reach a higher rate. The CPU time is shown separately for each of them. Prints a \
            table for Docs/Inside/Measurements.md.

            Example: pushload bench --messages 100000 --platform android
            """)

    @Option(help: .count("The number of subscribers, and of the delivery's messages.")) var messages =
        1_000_000
    @Option(
        help:
            """
            ios: APNs. android: FCM HTTP v1 through the V2 connector. ios-binary: the former binary \
            protocol of APNs.
            """
    )
    var platform = Testbed.Platform.ios
    @Option(help: .count("The number of parallel requests to FCM (maxGCMConnectPerChild).")) var parallel =
        500
    @Option(help: .count("FCM's quota (messagesPerMinute). 0 means no quota.")) var perMinute = 0
    @Option(
        help: .count(
            """
            The maximum number of frames of the binary protocol that wait for confirmation by a second of \
            silence (unconfirmedFrames).
            """
        ))
    var unconfirmed = 1_000_000
    @Option(help: "The maximum number of children (maxSpareServers).") var children = 1
    @Option(help: "The number of concurrent streams that the gateway allows on a connection.") var streams =
        1_000
    @Option(help: .count("The maximum number of messages that a child holds (maxWaitingMessages)."))
    var capacity = 20_000
    @Option(help: ArgumentHelp("The time that the gateway takes to answer.", valueName: "ms")) var delayMs = 0
    @Option(
        help: "The store's engine: sqlite, or postgresql with a server that the run starts on the same cores."
    )
    var store = TestbedSettings.usualStore
    @Flag(help: "Give subscribers parameters, and personalise the content with three of them.")
    var personal = false
    @Flag(
        help: "Give subscribers parameters that the content does not use, for comparison with --personal.")
    var parameters = false
    @Flag(help: "Do not count distinct tokens and ids at the gateway, and do not parse payloads there.")
    var fast = false

    var limits: KeyValuePairs<String, ClosedRange<Int>> {
        [
            "messages": 1...10_000_000, "parallel": 1...1_000, "per-minute": 0...100_000_000,
            "unconfirmed": 1...10_000_000, "children": 1...64, "streams": 1...100_000,
            "capacity": 1...1_000_000, "delay-ms": 0...60_000,
        ]
    }

    var settings: TestbedSettings {
        TestbedSettings(store: store, children: children) {
            $0.capacity = capacity
            $0.gateway.streams = streams
            $0.gateway.delayMilliseconds = delayMs
            $0.gateway.keepsLog = false
            $0.gateway.isFast = fast
            if platform == .android {
                $0.parallelRequests = parallel
                $0.messagesPerMinute = perMinute
                $0.gateway.fcm = .init(streams: streams, delayMilliseconds: delayMs)
            }
            if platform == .iosBinary {
                $0.binary.unconfirmedFrames = unconfirmed
                $0.gateway.binary = .init()
            }
        }
    }

    /// Measurements, with their descriptions.
    private typealias Rows = [(what: String, measured: String)]

    private func table(of measured: Rows) -> Verdict {
        let rows = [("what", "measured")] + measured
        let first = rows.map(\.0.count).max() ?? 0
        let second = rows.map(\.1.count).max() ?? 0
        let body = rows.map { tableRow([$0.padded(to: first), $1.padded(to: second)]) }
        let rule = "|\("".padded(to: first + 2, with: "-"))|\("".padded(to: second + 1, with: "-")):|"
        return Verdict(
            figures: [
                "`\(commandLine)`", "",
                "\(Machine.cores) cores of \(Machine.processor), \(Machine.memoryGigabytes) GB, "
                    + "\(Machine.system); "
                    + "engine and sink on the same cores.", "", body[0], rule,
            ] + body.dropFirst())
    }

    /// Personalised content. When its variables are filled in, it has the same length as the default content.
    static let personalContent = """
        {"title": "{{firstName|Dear friend}}, from \\"99\\" EUR", "body": "{{city}}: {{points}} \
        points{{#vip}}!{{/vip}}",
         "variables": {"mediaUrl": "https://example.org/paris.png"},
         "ios": {"type": "alert", "badge": 3, "sound": "default"}}
        """

    /// The resources that the kernel has charged to all processes that take part.
    private struct Sample {
        var master: ProcessFigures
        var children: [Int32: ProcessFigures]
        var sink: ProcessFigures
        /// The CPU time of the store's server; `nil` if the store has no server.
        var databaseSeconds: Double?
    }

    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        let app = try await testbed.createOnlyApp(for: platform)
        var subscribers = SyntheticSubscribers(messages, isAndroid: platform == .android)
        subscribers.hasParameters = personal || parameters
        let imported = try await testbed.importSubscribers(subscribers, into: app)
        // The server finishes its work for the import at this point, so that the measurement of sending does
        // not include it.
        try testbed.databaseServer?.query("VACUUM ANALYZE", in: Testbed.database)
        try testbed.databaseServer?.query("CHECKPOINT")
        try await testbed.startEngine()
        let before = try await sample(testbed)
        var document = DeliveryText(apps: [app])
        if personal { document.content = Self.personalContent }
        let (delivery, seconds) = try await testbed.submitAndWait(
            document, within: .seconds(120 + messages / 1_000))
        let after = try await sample(testbed)
        let report = try await testbed.show(delivery)
        try await testbed.finish()
        let summary = try testbed.gatewaySummary()
        let gateway =
            switch platform {
            case .ios: summary
            case .android: summary.fcm
            case .iosBinary: summary.binary
            }
        try gateway.require(all: messages, of: report)
        var rows: Rows = [
            ("import, by the command line", rate(imported.seconds)),
            ("import, CPU per row", each(imported.ending.cpuSeconds)),
            ("import, peak memory", "\(imported.ending.peakMegabytes.fixed(0)) MB"),
            ("sent, startedAt to finishedAt", rate(report.seconds ?? seconds)),
            ("sent, submitted to seen finished", rate(seconds)),
        ]
        rows += figures(before, after)
        if gateway.parallelStreams > 0 {
            rows.append(("parallel requests, maximum", "\(gateway.parallelStreams)"))
        }
        rows.append(("peak memory, master", "\(after.master.peakMegabytes.fixed(0)) MB"))
        for (index, child) in after.children.sorted(by: { $0.key < $1.key }).enumerated() {
            rows.append(("peak memory, child \(index + 1)", "\(child.value.peakMegabytes.fixed(0)) MB"))
        }
        return table(of: rows)
    }

    private func each(_ seconds: Double) -> String { "\((seconds / Double(messages) * 1e6).fixed(2)) µs" }

    private func rate(_ seconds: Double) -> String {
        "\((Double(messages) / max(seconds, 0.001)).fixed(0))/s (\(seconds.fixed(2)) s)"
    }

    /// Returns the CPU time between the two samples.
    private func figures(_ before: Sample, _ after: Sample) -> Rows {
        let master = after.master.ownSeconds - before.master.ownSeconds
        let ended = after.master.endedChildrenSeconds - before.master.endedChildrenSeconds
        let children = after.children.sorted { $0.key < $1.key }.map {
            $0.value.ownSeconds - (before.children[$0.key]?.ownSeconds ?? 0)
        }
        var rows: Rows = [
            ("CPU per notification, engine", each(master + ended + children.reduce(0, +))),
            ("… master", each(master)),
        ]
        for (index, seconds) in children.enumerated() { rows.append(("… child \(index + 1)", each(seconds))) }
        if ended > 0 { rows.append(("… children that ended", each(ended))) }
        rows.append(("CPU per notification, pushsink", each(after.sink.ownSeconds - before.sink.ownSeconds)))
        if let end = after.databaseSeconds, let begin = before.databaseSeconds {
            rows.append(("CPU per notification, PostgreSQL", each(end - begin)))
        }
        return rows
    }

    private func sample(_ testbed: Testbed) async throws -> Sample {
        guard let status = try await testbed.status().master, let master = ProcessFigures(of: status.pid),
            let sink = testbed.sink.flatMap({ ProcessFigures(of: $0.processID) })
        else { throw LoadError("there is no engine or no gateway to measure") }
        var children: [Int32: ProcessFigures] = [:]
        for child in status.children { children[child.pid] = ProcessFigures(of: child.pid) }
        return Sample(
            master: master, children: children, sink: sink,
            databaseSeconds: testbed.databaseServer?.cpuSeconds)
    }
}

extension Testbed {
    /// Runs `delivery submit --wait`. Returns the delivery's number, and the number of seconds between the
    /// output of that number and the end of the command.
    func submitAndWait(
        _ document: DeliveryText, within limit: Duration
    ) async throws -> (delivery: Int, seconds: Double) {
        let process = try launch(["delivery", "submit", try prepare(document), "--wait"])
        let id = try await Waiting.until("the delivery to be accepted") {
            try process.requireRunning()
            return Folder.text(process.output).contains("\n")
                ? Int(Folder.text(process.output).firstLine) : nil
        }
        let start = ContinuousClock.now
        try await process.endInOrder(within: limit)
        return (id, (ContinuousClock.now - start).inSeconds)
    }
}
