internal import FoundationEssentials

/// Deliveries under control, with real processes and by a seed: they are submitted, paused, resumed, stopped and
/// sent again where they failed, in any order, while children and masters are killed.
///
/// **Promises.** After each command the delivery's counts add up. At the end each message has one final state, what
/// is sent a gateway took, and of a stopped delivery no more ended after the answer than was told to be on the
/// wire. **Neighbours.** `ControlStoryTests` tells the same of a simulated gateway, a thousand times.
package struct ControlScenario: Sendable {
    package var seed: UInt64
    package var devices: Int
    /// Commands and kills.
    package var steps: Int
    static let mostDeliveries = 4

    package init(seed: UInt64, devices: Int, steps: Int) {
        self.seed = seed
        self.devices = devices
        self.steps = steps
    }

    /// When a stop was answered, in milliseconds since 1970, and what was on the wire then.
    package struct Stop: Sendable {
        package var answered: Int
        package var onTheWire: Int

        package init(answered: Int, onTheWire: Int) {
            self.answered = answered
            self.onTheWire = onTheWire
        }
    }

    private struct StopAnswer: Decodable {
        var onTheWire: Int
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.children = 2
        settings.childrenAtStart = 2
        settings.capacity = 500
        settings.requestTimeoutSeconds = 5
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.streams = 50
        settings.gateway.delayMilliseconds = 40
        settings.gateway.rules = rules
        return settings
    }

    private var subscribers: SyntheticSubscribers { SyntheticSubscribers(devices, seed: seed) }

    /// Some are refused for good, which `retry-failed` is asked to send again; and there is trouble now and then.
    private var rules: String {
        var chance = Chance(seed: seed &+ 1)
        func some() -> Int { .random(in: devices / 10...devices * 2, using: &chance) }
        let refused = subscribers.oneInEvery(20).map { "\($0) status 400 BadExpirationDate\n" }.joined()
        return refused + """
            * status 429 TooManyRequests after \(some()) times 20
            * status 503 ServiceUnavailable after \(some()) times 20

            """
    }

    // MARK: The run

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> ControlReport {
        testbed.expectedComplaints.append("a child ended before it was of any use")
        try await testbed.createApp()
        try await testbed.importSubscribers(subscribers)
        try await testbed.startEngine()
        var chance = Chance(seed: seed)
        var deliveries = [try await testbed.submit()]
        var stops: [Int: Stop] = [:]
        for _ in 0..<steps {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &chance)))
            guard let delivery = deliveries.randomElement(using: &chance) else { break }
            switch Int.random(in: 0..<16, using: &chance) {
            case 0,
                1 where deliveries.count < Self.mostDeliveries:
                deliveries.append(try await testbed.submit())
                say("submit \(deliveries.count)")
            case 2...4: try await order("pause", delivery, in: testbed, say)
            case 5...8: try await order("resume", delivery, in: testbed, say)
            case 9:
                guard stops[delivery] == nil else { continue }
                stops[delivery] = try await stop(delivery, in: testbed)
                say(
                    "stop \(delivery): \(stops[delivery].map { "\($0.onTheWire) on the wire" } ?? "it has ended")"
                )
            case 10, 11:
                try await order(
                    "retry-failed", delivery, ["--reason", "BadExpirationDate"], in: testbed, say)
            case 12, 13:
                let children = try await testbed.status().master?.children ?? []
                if let child = children.randomElement(using: &chance) {
                    testbed.kill(child: child.pid)
                    say("kill of a child")
                }
            case 14:
                _ = try await testbed.killMaster()
                try await testbed.startEngine()
                say("kill of the master")
            default: break
            }
            let report = try await testbed.show(delivery)
            guard report.addsUp else { throw LoadError(.wrong("it does not add up: \(report.summary)")) }
        }
        for delivery in deliveries {
            try await order("resume", delivery, in: testbed, { _ in })
            let end = try await testbed.settle(delivery, within: .seconds(300))
            say("delivery \(delivery) \(end.summary)")
        }
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        return try await report(of: deliveries, stops, in: testbed)
    }

    /// What cannot be done in this state is refused, and that is well.
    private func order(
        _ verb: String, _ delivery: Int, _ more: [String] = [], in testbed: Testbed, _ say: (String) -> Void
    ) async throws {
        let said = try await testbed.pushmta(["delivery", verb, "\(delivery)"] + more)
        let status = said.ending.status
        guard [0, 3].contains(status) else {
            throw LoadError(
                .commandFailed(
                    command: "pushmta delivery \(verb)", status: "\(said.ending)", said: said.complaints))
        }
        say("\(verb) \(delivery)\(status == 0 ? "" : ": refused")")
    }

    /// - Returns: nil: it had ended.
    private func stop(_ delivery: Int, in testbed: Testbed) async throws -> Stop? {
        let said = try await testbed.pushmta(["delivery", "stop", "\(delivery)", "--yes", "--json"])
        let answered = Int(Date().timeIntervalSince1970 * 1_000)
        if said.ending.status == 3 { return nil }
        guard said.ending.status == 0,
            let answer = try? JSONDecoder().decode(StopAnswer.self, from: Data(said.output.utf8))
        else {
            throw LoadError(
                .commandFailed(
                    command: "pushmta delivery stop", status: "\(said.ending)", said: said.complaints))
        }
        return Stop(answered: answered, onTheWire: answer.onTheWire)
    }

    private func report(
        of deliveries: [Int], _ stops: [Int: Stop], in testbed: Testbed
    ) async throws -> ControlReport {
        let requests = try testbed.gatewayRequests()
        var report = ControlReport(devices: devices)
        for delivery in deliveries {
            let mark = "\"_dId\":\"\(delivery)\""
            report.chapters.append(
                ControlReport.Chapter(
                    report: try await testbed.show(delivery), rows: try await testbed.messageLog(delivery),
                    requests: requests.filter { $0.body.contains(mark) }, stop: stops[delivery]))
        }
        return report
    }
}
