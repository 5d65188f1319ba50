package import ArgumentParser

/// Deliveries that commands control in random order. `ControlStoryTests` tests the same commands with a
/// simulated gateway.
///
/// **Promises.** After each command the delivery's counts add up.
package struct ControlScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "control",
        abstract:
            """
            Pause, resume, stop and repeat deliveries at random while processes are killed, and account \
            for every message.
            """,
        discussion: """
            Prints every assertion with its numbers. Exit status 0: all assertions hold, for all seeds.

            Example: pushload control --runs 3 --seed 7
            """)

    @Option(help: "The random seed of the first run. The same seed repeats the run.") package var seed =
        Seed()
    @Option(help: .count("The number of runs, with consecutive seeds.")) var runs = 5
    @Option(help: .count("The number of devices of each delivery.")) package var devices = 5_000
    @Option(help: .count("The number of commands and kills of each run.")) package var steps = 40
    @Option(help: .store) package var store = TestbedSettings.usualStore

    static let maxDeliveries = 4

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["runs": 1...10_000, "devices": 100...1_000_000, "steps": 1...10_000]
    }

    package var parts: [Self] {
        seed.followed(by: runs).map { seed in with { ($0.seed, $0.runs) = (seed, 1) } }
    }

    package struct Outcome: Sendable {
        package var chapters: [DeliveryComparison]
        /// The stops, keyed by the numbers of the stopped deliveries.
        package var stops: [Int: Stop]

        package init(_ chapters: [DeliveryComparison], _ stops: [Int: Stop]) {
            (self.chapters, self.stops) = (chapters, stops)
        }
    }

    /// The time at which a stop was answered, in milliseconds since 1970, and the number of requests without
    /// an answer at that time.
    package struct Stop: Sendable {
        package var answered: Int
        package var onTheWire: Int

        package init(answered: Int, onTheWire: Int) {
            (self.answered, self.onTheWire) = (answered, onTheWire)
        }
    }

    package var settings: TestbedSettings {
        TestbedSettings(store: store, children: 2) {
            $0.capacity = 500
            $0.requestTimeoutSeconds = 5
            $0.retry = .eachSecond
            $0.gateway.streams = 50
            $0.gateway.delayMilliseconds = 40
            $0.gateway.rules = rules
        }
    }

    private var subscribers: SyntheticSubscribers { SyntheticSubscribers(devices, seed: seed.number) }

    /// Rules that cause occasional faults, and that reject some messages permanently, so that `retry-failed`
    /// has messages to send again.
    private var rules: String {
        var chance = SplitMix64(seed: seed.number &+ 1)
        func some() -> Int { .random(in: devices / 10...devices * 2, using: &chance) }
        let refused = subscribers.oneInEvery(20).map { "\($0) status 400 BadExpirationDate\n" }.joined()
        return refused + """
            * status 429 TooManyRequests after \(some()) times 20
            * status 503 ServiceUnavailable after \(some()) times 20

            """
    }

    // MARK: The run

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome {
        testbed.expectedComplaints.append("a child ended before it did any work")
        try await testbed.begin([(.ios, subscribers)])
        var chance = SplitMix64(seed: seed.number)
        var deliveries = [try await testbed.submit()]
        var stops: [Int: Stop] = [:]
        for _ in 0..<steps {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &chance)))
            guard let delivery = deliveries.randomElement(using: &chance) else { break }
            switch Int.random(in: 0..<16, using: &chance) {
            case 0,
                1 where deliveries.count < Self.maxDeliveries:
                deliveries.append(try await testbed.submit())
                say("submit \(deliveries.count)")
            case 2...4: try await order("pause", delivery, in: testbed, say)
            case 5...8: try await order("resume", delivery, in: testbed, say)
            case 9:
                guard stops[delivery] == nil else { continue }
                stops[delivery] = try await stop(delivery, in: testbed)
                let end = stops[delivery].map { "\($0.onTheWire) on the wire" } ?? "it had already ended"
                say("stop \(delivery): \(end)")
            case 10, 11:
                try await order(
                    "retry-failed", delivery, ["--reason", "BadExpirationDate"], in: testbed, say)
            case 12, 13:
                let children = try await testbed.status().master?.children ?? []
                if let child = children.randomElement(using: &chance) {
                    testbed.kill(child: child.pid)
                    say("killed a child")
                }
            case 14:
                _ = try await testbed.killMaster()
                try await testbed.startEngine()
                say("killed the master")
            default: break
            }
            _ = try await testbed.sound(delivery)
        }
        for delivery in deliveries {
            try await order("resume", delivery, in: testbed, { _ in })
            try await testbed.settle([delivery], within: .seconds(300), say: say)
        }
        try await testbed.finish()
        return Outcome(try await testbed.chapters(of: deliveries, try testbed.gatewayRequests()), stops)
    }

    /// Runs a command. A command that the delivery's state does not allow must be refused.
    private func order(
        _ verb: String, _ delivery: Int, _ more: [String] = [], in testbed: Testbed, _ say: (String) -> Void
    ) async throws {
        let said = try await testbed.pushmta(["delivery", verb, "\(delivery)"] + more)
        try said.require(0, 3)
        say("\(verb) \(delivery)\(said.ending.status == 0 ? "" : ": refused")")
    }

    private struct StopAnswer: Decodable { var onTheWire: Int }

    /// - Returns: `nil` if the delivery had ended already.
    private func stop(_ delivery: Int, in testbed: Testbed) async throws -> Stop? {
        let said = try await testbed.pushmta(["delivery", "stop", "\(delivery)", "--yes", "--json"])
        let answered = EpochTime.now
        if said.ending.status == 3 { return nil }
        try said.require(0)
        let answer = try StopAnswer(json: said.output.utf8, from: "delivery stop --json")
        return Stop(answered: answered, onTheWire: answer.onTheWire)
    }

    // MARK: Judgement

    package func verdict(on outcome: Outcome) -> Verdict {
        Verdict(outcome.chapters.flatMap { findings(of: $0, outcome.stops[$0.report.id]) })
    }

    private func findings(of chapter: DeliveryComparison, _ stop: Stop?) -> [Finding] {
        let name = "delivery \(chapter.report.id)"
        let counts = chapter.report.counts
        let (rows, wasStopped) = (chapter.rows, chapter.report.state == "stopped")
        func count(_ state: String) -> Int { rows.count { $0.state == state } }
        let taken = Set(chapter.requests.lazy.filter { $0.ending == .accepted }.map(\.token))
        let unseen = rows.count { $0.state == "sent" && !taken.contains($0.token) }
        var findings = [
            Finding(
                "\(name) has ended and its counts add up", chapter.report.isOver && chapter.report.addsUp,
                chapter.report.summary),
            Finding(
                "\(name) contains each device once",
                Set(rows.map(\.token)).count == rows.count
                    && (wasStopped ? rows.count <= devices : rows.count == devices),
                "\(rows.count) messages for \(devices) devices"),
            Finding(
                "\(name): the messages match the counts",
                count("sent") == counts.sent && count("failed") == counts.failed
                    && count("cancelled") == counts.cancelled && counts.pending + counts.retrying == 0,
                "\(count("sent")) sent, \(count("failed")) failed, \(count("cancelled")) cancelled"),
            Finding(
                "\(name): the gateway accepted all sent messages", unseen == 0,
                "\(unseen) unseen of \(counts.sent)"),
            Finding(
                "\(name): messages are cancelled only by a stop", wasStopped || counts.cancelled == 0,
                "\(counts.cancelled)"),
        ]
        if let stop {
            let late = chapter.requests.count { $0.time > stop.answered }
            findings.append(
                Finding(
                    "\(name): no request begins after the answer to the stop", late <= stop.onTheWire,
                    "\(late) ended after the answer, \(stop.onTheWire) were on the wire"))
        }
        return findings
    }
}
