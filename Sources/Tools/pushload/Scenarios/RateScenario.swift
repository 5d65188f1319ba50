package import ArgumentParser

/// Measures the rates of deliveries at their gateways, and how long it takes to pause, resume and stop a
/// large delivery.
///
/// The gateway counts requests by the second in which they arrive. Any ten consecutive seconds form a window.
/// The first and the last second of the delivery are not included. If the delivery keeps its rate, each
/// window contains ten times the rate per second.
package struct RateScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "rates",
        abstract:
            "Measure how closely deliveries keep their rates, and how quickly a large delivery is paused.",
        discussion: """
            Each rate has its own run, in which the gateway counts the requests in every ten consecutive \
            seconds. Exit status 0: each of these counts is within a twentieth of the rate, each command to \
            a large delivery ends within a second, and a high-priority delivery is sent alongside the large \
            one within a second.

            Example: pushload rates --rates 50,2000 --paused 1000000
            """)

    @Option(help: ArgumentHelp("Rates in requests per second, separated by commas.", valueName: "counts"))
    var rates: Listed<Int> = [50, 2_000, 50_000]
    @Option(help: ArgumentHelp("The duration of each delivery with a rate.", valueName: "s")) var seconds = 30
    @Option(help: .count("The number of messages of the delivery that is paused. 0 omits this delivery."))
    var paused = 10_000_000
    @Option(help: .store) var store = TestbedSettings.usualStore

    static let windowSeconds = 10
    private static let tolerance = 0.05
    private static let patienceSeconds = 1.0

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["seconds": 12...3_600, "paused": 0...20_000_000]
    }

    package func checkOptions() throws {
        guard rates.elements.allSatisfy((1...1_000_000).contains) else {
            throw ValidationError("--rates must be numbers from 1 to 1000000, separated by commas.")
        }
        guard rates.elements.allSatisfy({ $0 * seconds <= 20_000_000 }) else {
            throw ValidationError("--rates times --seconds must be at most 20000000 messages.")
        }
    }

    /// The parts: one for each rate, and one without a rate, whose delivery is paused.
    package var parts: [Self] {
        rates.elements.map { rate in with { ($0.rates, $0.paused) = ([rate], 0) } }
            + (paused > 0 ? [with { $0.rates = [] }] : [])
    }

    package var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.gateway.keepsLog = false
            $0.gateway.isFast = true
            $0.gateway.countsSeconds = true
            guard rates.elements.isEmpty else { return }
            // The gateway is so slow that the delivery cannot end before the run stops it.
            $0.gateway.streams = 200
            $0.gateway.delayMilliseconds = 50
        }
    }

    package struct Report: Sendable {
        var rate: Int
        var messages: Int
        /// The number of requests in each second, beginning with the second in which the first request
        /// arrived.
        var counted: [Int]
        /// The number of requests in each window.
        package var windows: [Int] { RateScenario.windows(of: counted) }

        package init(rate: Int, messages: Int, counted: [Int]) {
            (self.rate, self.messages, self.counted) = (rate, messages, counted)
        }

        /// The requests per second in the slowest and in the fastest window.
        package var range: ClosedRange<Double> {
            let seconds = Double(RateScenario.windowSeconds)
            let (least, most) = (windows.min() ?? 0, windows.max() ?? 0)
            return Double(least) / seconds...Double(most) / seconds
        }

        /// The maximum deviation of a window from the rate, as a fraction of the rate.
        package var deviation: Double {
            max(range.upperBound - Double(rate), Double(rate) - range.lowerBound) / Double(rate)
        }
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        guard let rate = rates.elements.first else { return Verdict(try await pause(in: testbed, say)) }
        let report = try await send(at: rate, in: testbed)
        let (least, most) = (report.range.lowerBound.fixed(1), report.range.upperBound.fixed(1))
        let holds = !report.windows.isEmpty && report.deviation <= Self.tolerance
        let counted = "requests by the second: \(report.counted.map(String.init).joined(separator: " "))"
        return Verdict(
            figures: holds ? [] : [counted],
            [
                Finding(
                    "\(report.rate)/s", holds,
                    "\(least) to \(most)/s in \(report.windows.count) windows of 10 s, at most "
                        + "\((report.deviation * 100).fixed(1)) % off; \(report.messages) messages")
            ])
    }

    private func send(at rate: Int, in testbed: Testbed) async throws -> Report {
        let messages = rate * seconds
        try await testbed.begin([(.ios, .init(messages))])
        var document = DeliveryText()
        document.ratePerSecond = rate
        let delivery = try await testbed.submit(document)
        // Queries are rare, because a process that queries the engine uses a core that the sending processes
        // need.
        let end = try await testbed.settle(
            delivery, within: .seconds(120 + seconds * 4), maxPollInterval: .seconds(3))
        guard end.counts.sent == messages else {
            throw LoadError("the delivery did not send all messages: \(end.summary)")
        }
        try await testbed.finish()
        guard let counted = try testbed.gatewaySummary().requestsBySecond else {
            throw LoadError("the gateway did not count requests by the second")
        }
        return Report(rate: rate, messages: messages, counted: counted)
    }

    /// Returns the sum of every ten consecutive seconds. The first and the last second are incomplete, so
    /// they are left out.
    package static func windows(of counted: [Int]) -> [Int] {
        let whole = counted.dropFirst().dropLast()
        guard whole.count >= windowSeconds else { return [] }
        return (whole.startIndex...whole.endIndex - windowSeconds).map { start in
            whole[start..<start + windowSeconds].reduce(0, +)
        }
    }

    // MARK: Commands that act on a large delivery while a small urgent delivery is sent

    private func pause(in testbed: Testbed, _ say: (String) -> Void) async throws -> [Finding] {
        try await testbed.createApp()
        let imported = try await testbed.importSubscribers(SyntheticSubscribers(paused))
        say("\(paused) subscribers imported in \(imported.seconds.fixed(1)) s")
        try await testbed.startEngine()
        let delivery = try await testbed.submit()
        var steps: [Finding] = []
        func step(_ verb: String, _ when: String, _ more: [String] = []) async throws {
            let said = try await testbed.succeed(["delivery", verb, "\(delivery)"] + more)
            let report = try await testbed.show(delivery)
            steps.append(Self.step("\(verb), \(when)", said.seconds, report))
        }
        try await testbed.wait(for: delivery, "the delivery to begin sending") { $0.counts.sent > 0 }
        try await step("pause", "after the first message was sent")
        try await step("resume", "after the first message was sent")
        try await testbed.wait(
            for: delivery, "the delivery to be prepared", within: .seconds(120 + paused / 20_000),
            maxPollInterval: .seconds(1)
        ) { $0.state == "inProgress" }
        try await step("pause", "after all messages were prepared")
        let counts = try await testbed.show(delivery).counts
        try await step("resume", "after all messages were prepared")
        try await testbed.wait(for: delivery, "the delivery to continue") {
            $0.counts.sent > counts.sent + 1_000
        }
        steps.append(try await overtake(in: testbed))
        try await step("stop", "amid sending", ["--yes"])
        let end = try await testbed.settle(delivery, within: .seconds(120 + paused / 20_000))
        say("the delivery ended: \(end.summary)")
        guard end.state == "stopped" else { throw LoadError("the delivery was not stopped: \(end.summary)") }
        try await testbed.finish()
        return steps
    }

    /// - Parameter seconds: The time from the start of a command to its end.
    private static func step(_ what: String, _ seconds: Double, _ report: DeliveryReport) -> Finding {
        Finding(what, seconds <= patienceSeconds, "\((seconds * 1_000).fixed(0)) ms; \(report.summary)")
    }

    private static let urgent = 100

    /// Measures the time from the start of the command until the store has the answer to the delivery's last
    /// message.
    private func overtake(in testbed: Testbed) async throws -> Finding {
        var text = DeliveryText()
        text.priority = "veryHigh"
        let count = min(Self.urgent, paused)
        text.target = SyntheticSubscribers(paused).target(ofFirst: count)
        let begin = ContinuousClock.now
        let delivery = try await testbed.submit(text)
        let report = try await testbed.wait(
            for: delivery, "the high-priority delivery to be sent", maxPollInterval: .milliseconds(5)
        ) {
            $0.counts.sent == count
        }
        let seconds = (ContinuousClock.now - begin).inSeconds
        let what =
            "a high-priority delivery to \(count) devices, submitted and sent during the other delivery"
        return Self.step(what, seconds, report)
    }
}
