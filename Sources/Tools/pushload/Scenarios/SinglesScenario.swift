internal import ArgumentParser

/// Times are measured by this program and the gateway, not by the engine. They begin before the request is
/// written and end with the gateway's answer, so they include the time for reading the request, for the
/// commit and for group commit.
struct SinglesScenario: Scenario {
    static let configuration = CommandConfiguration(
        commandName: "singles",
        abstract:
            "Measure single messages next to a large delivery, and a delivery next to reports of devices.",
        discussion: """
            Measures single messages through the API, from the request to the answer of their gateway: \
            without other load, and next to a delivery of the same app. Then measures the rate of a delivery \
            next to reports, as a share of the delivery's rate without other load. Exit status 0: all \
            requests were answered as expected. The times do not affect the status.

            Example: pushload singles --messages 100000 --singles-per-second 50
            """)

    @Option(help: .count("The number of messages of each large delivery.")) var messages = 1_000_000
    @Option(help: .count("The number of single messages without other load.")) var singles = 2_000
    @Option(help: .count("The number of single messages per second.")) var singlesPerSecond = 100
    @Option(help: .count("The number of reports that devices send per second next to a delivery."))
    var reportsPerSecond = 2_000
    @Option(help: .store) var store = TestbedSettings.usualStore

    var limits: KeyValuePairs<String, ClosedRange<Int>> {
        [
            "messages": 10_000...10_000_000, "singles": 100...1_000_000, "singles-per-second": 1...2_000,
            "reports-per-second": 1...20_000,
        ]
    }

    var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.web = true
            $0.keepsWebPort = true
            $0.gateway.streams = 1_000
        }
    }

    /// - Parameter times: The times in milliseconds, in ascending order.
    private func line(_ what: String, _ times: [Double]) -> String {
        func at(_ share: Double) -> String {
            times.isEmpty ? "none" : times[Int(Double(times.count - 1) * share)].fixed(1)
        }
        return "single messages, \(what): \(times.count), from the request to the gateway p50 \(at(0.5)) ms, "
            + "p99 \(at(0.99)) ms, maximum \(at(1)) ms"
    }

    /// The recipients of single messages. No other tokens begin with the prefix of their tokens.
    static let singleDevices = SyntheticSubscribers(1_000, prefixes: ["e"], perPrefix: 1_000)

    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        try await testbed.begin([(.ios, .init(messages, prefixes: ["d"], perPrefix: messages))])
        // This delivery is not measured. It establishes the connection and opens the connection's window.
        try await deliver(testbed)
        say("a delivery alone")
        let alone = try await rate(of: deliver(testbed), testbed)
        try await testbed.importSubscribers(Self.singleDevices)
        let run = SinglesRun(self, testbed)
        say("single messages without other load")
        try await run.drive(singles, singlesPerSecond: singlesPerSecond)
        let idle = run.takeTimes()
        say("single messages next to a delivery")
        var delivery = try await testbed.submit()
        try await run.drive(singlesPerSecond: singlesPerSecond, until: delivery)
        let alongsideSingles = try await rate(of: delivery, testbed).fixed(0)
        let alongside = run.takeTimes()
        say("a delivery next to reports")
        run.reported = try testbed.reportableIDs(atMost: 100_000)
        delivery = try await testbed.submit()
        let reports = try await run.drive(reportsPerSecond: reportsPerSecond, until: delivery).fixed(0)
        let alongsideReports = try await rate(of: delivery, testbed)
        try await testbed.finish()
        let arrivals = try testbed.arrivalsOfSingles()
        let share = alongsideReports / max(alone, 0.001)
        return Verdict(
            figures: [
                line("idle", try Self.times(idle, arrivals)),
                line("next to a delivery", try Self.times(alongside, arrivals)),
                "delivery: alone \(alone.fixed(0))/s, next to single messages \(alongsideSingles)/s, "
                    + "next to \(reports) reports/s \(alongsideReports.fixed(0))/s: "
                    + "\((share * 100).fixed(1)) %",
            ], [.answered(bad: run.bad)])
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
            throw LoadError("a delivery did not end as expected: \(shown.summary)")
        }
        return Double(shown.counts.sent) / seconds
    }

    /// - Parameters:
    ///   - asked: The times at which single messages were requested, by number, in milliseconds since 1970.
    ///   - arrivals: The times at which the gateway answered them, in the same form.
    private static func times(_ asked: [Int: Double], _ arrivals: [Int: Double]) throws(LoadError) -> [Double]
    {
        var times: [Double] = []
        for (number, moment) in asked {
            guard let arrival = arrivals[number] else {
                throw LoadError("single message \(number) was accepted but never reached its gateway")
            }
            times.append(max(0, arrival - moment))
        }
        return times.sorted()
    }
}

extension Testbed {
    /// Reads the requests that the APNs gateway has accepted, until `body` returns false.
    private func forEachAccepted(_ body: (GatewayRequest) -> Bool) throws {
        for log in gatewayLogs {
            var tail = GatewayTail(log)
            while case let requests = try tail.next(), !requests.isEmpty {
                for request in requests where request.ending == .accepted {
                    guard body(request) else { return }
                }
            }
        }
    }

    /// Returns the ids of notifications that arrived, as devices report them: `<message>,<delivery>`.
    func reportableIDs(atMost count: Int = .max) throws -> [String] {
        var ids: [String] = []
        try forEachAccepted { request in
            let body = Array(request.body.utf8)
            if let message = FleetRun.text(of: "_mId", in: body),
                let delivery = FleetRun.text(of: "_dId", in: body).flatMap({ Int($0) })
            {
                ids.append("\(DeviceForm.reported(message, isAndroid: false)),\(String(delivery, radix: 16))")
            }
            return ids.count < count
        }
        guard !ids.isEmpty else { throw LoadError("no notification arrived that a device can report") }
        return ids
    }

    /// Returns the times at which the gateway answered single messages, by the number in their text, in
    /// milliseconds since 1970.
    fileprivate func arrivalsOfSingles() throws -> [Int: Double] {
        var arrivals: [Int: Double] = [:]
        try forEachAccepted { request in
            if request.token.hasPrefix("e"),
                let number = request.body.firstMatch(of: /"body":"number ([0-9]+)\."/)?.1
            {
                arrivals[Int(number) ?? -1] = Double(request.time)
            }
            return true
        }
        return arrivals
    }
}

/// Sends requests at a rate, regardless of their results, over persistent connections.
final class SinglesRun {
    private enum WorkItem {
        case single(Int)
        case report(Int)
        case look(Int)
    }

    /// The ids of the messages that devices report, as SDKs write them.
    var reported: [String] = []
    private(set) var bad = 0
    private let scenario: SinglesScenario
    private let testbed: Testbed
    private let token: String
    private var pump: RequestPump<WorkItem>
    private var asked: [Int: Double] = [:]
    private var nextSingle = 0
    private var nextReport = 0
    private var answered = 0
    private var isOver = false
    private let clock = ContinuousClock()

    private static let connections = 64
    private static let lookEvery: Duration = .milliseconds(250)

    init(_ scenario: SinglesScenario, _ testbed: Testbed) {
        (self.scenario, self.testbed) = (scenario, testbed)
        token = testbed.apiToken
        pump = RequestPump(port: testbed.ports.web, connections: Self.connections)
    }

    /// Returns the times at which single messages have been requested since the last call, by number.
    func takeTimes() -> [Int: Double] {
        defer { asked = [:] }
        return asked
    }

    /// - Parameters:
    ///   - count: The number of single messages.
    ///   - delivery: The delivery whose end ends the run. If it is `nil`, the run ends when `count` single
    ///     messages have been answered.
    /// - Returns: The number of answered reports per second.
    @discardableResult
    func drive(
        _ count: Int = .max, singlesPerSecond: Int = 0, reportsPerSecond: Int = 0, until delivery: Int? = nil
    ) async throws -> Double {
        let begin = clock.now
        var (sent, looked) = ((singles: 0, reports: 0), begin)
        (isOver, answered) = (false, 0)
        while !isOver {
            let seconds = (clock.now - begin).inSeconds
            if let delivery, seconds >= scenario.limit.inSeconds {
                throw LoadError("delivery \(delivery) did not end within \(seconds.fixed(0)) s")
            }
            while sent.singles < min(count, Int(seconds * Double(singlesPerSecond))) {
                pump.add(.single(nextSingle))
                asked[nextSingle] = Double(EpochTime.now)
                (nextSingle, sent.singles) = (nextSingle + 1, sent.singles + 1)
            }
            while sent.reports < Int(seconds * Double(reportsPerSecond)), !reported.isEmpty {
                pump.add(.report(nextReport))
                (nextReport, sent.reports) = (nextReport + 1, sent.reports + 1)
            }
            if let delivery, clock.now - looked > Self.lookEvery {
                looked = clock.now
                pump.add(.look(delivery))
            }
            try await turn()
            if delivery == nil, sent.singles == count { isOver = true }
        }
        let seconds = (clock.now - begin).inSeconds
        while !pump.isIdle { try await turn() }
        return Double(answered) / max(seconds, 0.001)
    }

    private func turn() async throws {
        for ended in pump.turn(request: request) { note(ended) }
        try Interruption.check()
        try await Task.sleep(for: .milliseconds(1))
    }

    private func note(_ ended: RequestPump<WorkItem>.Ended) {
        let status = ended.reply?.status ?? 0
        switch ended.workItem {
        case .single(let number):
            guard status != 202 else { return }
            asked[number] = nil
            bad += 1
        case .report: if status == 200 { answered += 1 } else { bad += 1 }
        case .look:
            let text = String(decoding: ended.reply?.body ?? [], as: UTF8.self)
            if text.contains(#""state":"finished""#) { isOver = true }
        }
    }

    private func request(of workItem: WorkItem) -> LoadRequest {
        switch workItem {
        case .single(let number):
            let device = SinglesScenario.singleDevices.token(number % 1_000)
            let content = #"{"title": "Code", "body": "number \#(number)."}"#
            return .call(
                "POST", "/messages", token: token,
                body: #"{"app": "\#(Testbed.app)", "token": "\#(device)", "content": \#(content)}"#)
        case .report(let number):
            let kind = number / reported.count % 2 + 1
            return LoadRequest("GET", "/r/", query: "id=h\(reported[number % reported.count]),\(kind)")
        case .look(let delivery): return .call("GET", "/deliveries/\(delivery)", token: token)
        }
    }
}
