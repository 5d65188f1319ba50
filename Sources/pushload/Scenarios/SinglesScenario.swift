/// How long a single message takes from being asked for to its gateway, with nothing else to do and beside a large
/// delivery of the same account; and what a delivery loses to devices that report meanwhile.
///
/// Times are this program's and the gateway's, not the engine's: from before the request is written to the gateway's
/// answer, so that reading, commit and group commit are in them.
package struct SinglesScenario: Sendable {
    /// Of each of the three large deliveries.
    package var messages: Int
    /// Single messages with nothing beside them.
    package var singles: Int
    package var singlesPerSecond: Int
    package var reportsPerSecond: Int

    package init(messages: Int, singles: Int, singlesPerSecond: Int, reportsPerSecond: Int) {
        (self.messages, self.singles) = (messages, singles)
        (self.singlesPerSecond, self.reportsPerSecond) = (singlesPerSecond, reportsPerSecond)
    }

    package struct Report: Sendable {
        /// Milliseconds, ascending.
        package var idle: [Double] = []
        package var beside: [Double] = []
        /// Messages a second of a delivery alone, beside single messages, and beside reports.
        package var alone = 0.0
        package var besideSingles = 0.0
        package var besideReports = 0.0
        /// Reports answered a second, beside that delivery.
        package var reportsAnswered = 0.0
        /// Requests that were not answered as they should be.
        package var bad = 0

        package var shareBesideReports: Double { besideReports / max(alone, 0.001) }
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.web = true
        settings.keepsWebPort = true
        settings.capacity = 20_000
        settings.gateway.streams = 1_000
        return settings
    }

    /// Whom single messages are for: nobody else's token begins like theirs.
    static let singleDevices = SyntheticSubscribers(1_000, prefixes: ["e"], perPrefix: 1_000)

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        try await testbed.createService()
        try await testbed.createApp(Testbed.app, credential: .token)
        try await testbed.importSubscribers(
            SyntheticSubscribers(messages, prefixes: ["d"], perPrefix: messages))
        try await testbed.startEngine()
        // Not measured: the connection stands and its window is open.
        try await deliver(testbed)
        say("a delivery alone")
        var report = Report()
        report.alone = try await rate(of: deliver(testbed), testbed)
        try await testbed.importSubscribers(Self.singleDevices)
        let run = SinglesRun(self, testbed)
        say("single messages with nothing beside them")
        try await run.sendSingles(singles)
        let idle = run.takeTimes()
        say("single messages beside a delivery")
        var delivery = try await testbed.submit()
        try await run.drive(singlesPerSecond: singlesPerSecond, until: delivery)
        report.besideSingles = try await rate(of: delivery, testbed)
        let beside = run.takeTimes()
        say("a delivery beside reports")
        run.reported = try testbed.reportableIDs(atMost: 100_000)
        delivery = try await testbed.submit()
        report.reportsAnswered = try await run.drive(reportsPerSecond: reportsPerSecond, until: delivery)
        report.besideReports = try await rate(of: delivery, testbed)
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        let arrivals = try testbed.arrivalsOfSingles()
        report.bad = run.bad
        report.idle = try Self.times(idle, arrivals)
        report.beside = try Self.times(beside, arrivals)
        return report
    }

    @discardableResult
    private func deliver(_ testbed: Testbed) async throws -> Int {
        let delivery = try await testbed.submit()
        try await testbed.settle(delivery, within: limit)
        return delivery
    }

    var limit: Duration { .seconds(60 + messages / 1_000) }

    private func rate(of delivery: Int, _ testbed: Testbed) async throws -> Double {
        let shown = try await testbed.show(delivery)
        guard shown.counts.failed == 0, let seconds = shown.seconds, seconds > 0 else {
            throw LoadError(.wrong("a delivery ended as \(shown.summary)"))
        }
        return Double(shown.counts.sent) / seconds
    }

    /// - Parameters:
    ///   - asked: when each single message was asked for, by its number, milliseconds since 1970.
    ///   - arrivals: the same of its answer at the gateway.
    private static func times(_ asked: [Int: Double], _ arrivals: [Int: Double]) throws(LoadError) -> [Double]
    {
        var times: [Double] = []
        for (number, moment) in asked {
            guard let arrival = arrivals[number] else {
                throw LoadError(.wrong("single message \(number) was accepted and never reached its gateway"))
            }
            times.append(max(0, arrival - moment))
        }
        return times.sorted()
    }
}

extension Testbed {
    /// Of notifications that arrived, as devices report them: `<message>,<delivery>`.
    fileprivate func reportableIDs(atMost count: Int) throws -> [String] {
        var ids: [String] = []
        var tails = gatewayLogs.map { GatewayTail($0, of: .apns) }
        while ids.count < count, !tails.isEmpty {
            let requests = try tails[0].next()
            if requests.isEmpty {
                tails.removeFirst()
                continue
            }
            for request in requests where request.ending == .accepted && ids.count < count {
                let body = Array(request.body.utf8)
                guard let message = FleetRun.text(of: "_mId", in: body),
                    let delivery = FleetRun.text(of: "_dId", in: body).flatMap({ Int($0) })
                else { continue }
                ids.append("\(DeviceForm.reported(message, isAndroid: false)),\(String(delivery, radix: 16))")
            }
        }
        guard !ids.isEmpty else { throw LoadError(.wrong("no notification arrived that could be reported")) }
        return ids
    }

    /// When each single message was answered at the gateway, by the number in its text, milliseconds since 1970.
    fileprivate func arrivalsOfSingles() throws -> [Int: Double] {
        var arrivals: [Int: Double] = [:]
        var tails = gatewayLogs.map { GatewayTail($0, of: .apns) }
        while !tails.isEmpty {
            let requests = try tails[0].next()
            if requests.isEmpty { tails.removeFirst() }
            for request in requests where request.token.hasPrefix("e") && request.ending == .accepted {
                guard let number = request.body.firstMatch(of: /"body":"number ([0-9]+)\."/)?.1 else {
                    continue
                }
                arrivals[Int(number) ?? -1] = Double(request.time)
            }
        }
        return arrivals
    }
}
