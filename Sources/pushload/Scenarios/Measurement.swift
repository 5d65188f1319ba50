/// One import and one delivery, with the CPU and memory of everybody who took part.
///
/// CPU is what the kernel accounted to each process, sampled when the delivery is submitted and when it is
/// over; children that ended in between are in their master's account of ended children.
struct Measurement {
    var messages: Int
    var platform = Testbed.Platform.ios
    var hasParameters = false
    /// Whether each message says something else, by its subscriber's parameters.
    var isPersonal = false

    struct Figures {
        var importRows = 0
        var importSeconds = 0.0
        var importCPUSeconds = 0.0
        var importPeakMegabytes = 0.0
        /// From `submit`'s printing of the id to the end of the delivery as `submit --wait` saw it.
        var waitedSeconds = 0.0
        /// Between `startedAt` and `finishedAt`.
        var deliverySeconds = 0.0
        var masterCPUSeconds = 0.0
        var childrenCPUSeconds: [Double] = []
        var endedChildrenCPUSeconds = 0.0
        var sinkCPUSeconds = 0.0
        /// Of the store's server; nil where it has none.
        var databaseCPUSeconds: Double?
        /// The most that waited for their answers at one moment.
        var parallelRequests = 0
        var masterPeakMegabytes = 0.0
        var childrenPeakMegabytes: [Double] = []

        var engineCPUSeconds: Double {
            masterCPUSeconds + endedChildrenCPUSeconds + childrenCPUSeconds.reduce(0, +)
        }
    }

    /// As long as the usual one, once it is filled.
    private static let personalContent = """
        {"title": "{{firstName|Dear friend}}, from \\"99\\" EUR", "body": "{{city}}: {{points}} points{{#vip}}!{{/vip}}",
         "variables": {"mediaUrl": "https://example.org/paris.png"},
         "ios": {"type": "alert", "badge": 3, "sound": "default"}}
        """

    private struct Sample {
        var master: ProcessFigures
        var children: [Int32: ProcessFigures]
        var sink: ProcessFigures
        var databaseCPUSeconds: Double?
    }

    func run(in testbed: Testbed) async throws -> Figures {
        var figures = Figures()
        let app = try await testbed.createOnlyApp(for: platform)
        var subscribers = SyntheticSubscribers(messages, isAndroid: platform == .android)
        subscribers.hasParameters = hasParameters
        let imported = try await testbed.importSubscribers(subscribers, into: app)
        figures.importRows = messages
        figures.importSeconds = imported.seconds
        figures.importCPUSeconds = imported.ending.cpuSeconds
        figures.importPeakMegabytes = imported.ending.peakMegabytes

        // What a server still has to do for the import is no part of sending.
        try testbed.databaseServer?.query("VACUUM ANALYZE", in: Testbed.database)
        try testbed.databaseServer?.query("CHECKPOINT")
        try await testbed.startEngine()
        let before = try await sample(testbed)
        var document = DeliveryText(apps: [app])
        if isPersonal { document.content = Self.personalContent }
        let (delivery, seconds) = try await testbed.submitAndWait(
            document, within: .seconds(120 + messages / 1_000))
        let after = try await sample(testbed)
        let report = try await testbed.show(delivery)
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        let summary = try testbed.gatewaySummary()
        let gateway =
            switch platform {
            case .ios: summary
            case .android: summary.fcm
            case .iosBinary: summary.binary
            }
        try compare(report, gateway)
        figures.parallelRequests = gateway.parallelStreams

        figures.waitedSeconds = seconds
        figures.deliverySeconds = report.seconds ?? seconds
        figures.masterCPUSeconds = after.master.ownSeconds - before.master.ownSeconds
        figures.endedChildrenCPUSeconds =
            after.master.endedChildrenSeconds - before.master.endedChildrenSeconds
        figures.masterPeakMegabytes = after.master.peakMegabytes
        for (processID, child) in after.children.sorted(by: { $0.key < $1.key }) {
            figures.childrenCPUSeconds.append(
                child.ownSeconds - (before.children[processID]?.ownSeconds ?? 0))
            figures.childrenPeakMegabytes.append(child.peakMegabytes)
        }
        if let end = after.databaseCPUSeconds, let begin = before.databaseCPUSeconds {
            figures.databaseCPUSeconds = end - begin
        }
        figures.sinkCPUSeconds = after.sink.ownSeconds - before.sink.ownSeconds
        return figures
    }

    private func sample(_ testbed: Testbed) async throws -> Sample {
        guard let status = try await testbed.status().master, let master = ProcessFigures(of: status.pid),
            let sink = testbed.sink.flatMap({ ProcessFigures(of: $0.processID) })
        else { throw LoadError(.wrong("no engine or no gateway to measure")) }
        var children: [Int32: ProcessFigures] = [:]
        for child in status.children { children[child.pid] = ProcessFigures(of: child.pid) }
        return Sample(
            master: master, children: children, sink: sink,
            databaseCPUSeconds: testbed.databaseServer?.cpuSeconds)
    }

    /// A figure of a delivery that did not arrive is none.
    private func compare(_ report: DeliveryReport, _ summary: GatewaySummary) throws(LoadError) {
        guard report.state == "finished", report.counts.sent == messages else {
            throw LoadError(.wrong("the delivery ended as \(report.summary)"))
        }
        guard summary.accepted == messages, summary.rejected == 0 else {
            throw LoadError(
                .wrong(
                    "the gateway accepted \(summary.accepted) of \(messages) and refused \(summary.rejected)")
            )
        }
        for (what, count) in [("tokens", summary.distinctTokens), ("ids", summary.distinctApnsIDs)] {
            if let count, count != messages {
                throw LoadError(.wrong("the gateway saw \(count) different \(what)"))
            }
        }
    }
}

extension Testbed {
    /// `delivery submit --wait`: the delivery's number, and the seconds from its being printed to the
    /// command's end.
    func submitAndWait(
        _ document: DeliveryText, within limit: Duration
    ) async throws -> (delivery: Int, seconds: Double) {
        let process = try launch(["delivery", "submit", try prepare(document), "--wait"])
        let id = try await Waiting.until("the delivery to be accepted") {
            try requireRunning(process)
            return Folder.text(process.output).contains("\n")
                ? Int(Folder.text(process.output).firstLine) : nil
        }
        let start = ContinuousClock.now
        let ending = try await process.end(within: limit)
        let seconds = (ContinuousClock.now - start).inSeconds
        guard ending.status == 0 else {
            throw LoadError(
                .ended(
                    program: process.name, status: "\(ending)", said: Folder.lastLines(of: process.complaints)
                ))
        }
        return (id, seconds)
    }
}
