package import ArgumentParser

/// Measures how soon a new master sends. The gateway is slow, so that almost no messages of the delivery have
/// been sent when the new master starts.
package struct RecoveryScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Kill the master during a delivery and measure how soon a new master sends.",
        discussion: """
            Exit status 0: the new master sent within two seconds.

            Example: pushload recover --messages 100000
            """)

    @Option(help: .count("The number of messages of the delivery.")) package var messages = 1_000_000

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> { ["messages": 10_000...10_000_000] }

    private static let delayMilliseconds = 20
    private static let streams = 50

    package var settings: TestbedSettings {
        TestbedSettings {
            $0.gateway.streams = Self.streams
            $0.gateway.delayMilliseconds = Self.delayMilliseconds
        }
    }

    package struct Outcome: Sendable {
        /// Messages that had not ended when the master was killed.
        package var pending = 0
        /// The time from the start of `pushmta run` to the first request at the gateway.
        var untilFirstRequest: Duration = .zero
        /// The time from the start of `pushmta run` until the number of requests that had arrived reached the
        /// gateway's maximum number of concurrent streams.
        package var untilFullWindow: Duration = .zero
    }

    package func verdict(on outcome: Outcome) -> Verdict {
        let first = outcome.untilFirstRequest.inSeconds
        return Verdict(
            figures: [
                "from the start of run to the first request: \(first.fixed(3)) s; to the "
                    + "\(Self.streams)th: \(outcome.untilFullWindow.inSeconds.fixed(3)) s; "
                    + "\(outcome.pending) messages pending"
            ], [Finding("a new master sends within two seconds", first <= 2, "\(first.fixed(3)) s")])
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome {
        try await testbed.begin([(.ios, .init(messages))])
        say("imported \(messages)")
        let delivery = try await testbed.submit()
        let before = try await testbed.wait(
            for: delivery, "all messages to be prepared", within: .seconds(300)
        ) {
            $0.counts.targeted >= messages && $0.counts.sent > 0
        }
        var outcome = Outcome()
        outcome.pending = before.counts.pending
        let orphan = try await testbed.killMaster()
        say(
            "killed the master with \(outcome.pending) messages pending; its child ended after "
                + "\(orphan.inSeconds.fixed(3)) s")

        // The number of messages that the master had recorded when it was killed. On a busy machine, the
        // master may have continued for a while after the previous query.
        let recorded = try await testbed.show(delivery).counts.sent
        let start = EpochTime.now
        try await testbed.startEngine()
        try await testbed.wait(for: delivery, "the new master to send") {
            $0.counts.sent > recorded + 2 * Self.streams
        }
        try await testbed.finish()
        let requests = try testbed.gatewayRequests()
        // The gateway may answer or abandon requests of the killed child after the child has ended.
        let old = Set(requests.lazy.filter { $0.time < start }.map(\.connection))
        let times = requests.filter { !old.contains($0.connection) }.map(\.time).sorted()
        guard let first = times.first, times.count >= Self.streams else {
            throw LoadError("only \(times.count) requests arrived after the new start")
        }
        // The log contains the time of the answer. The request arrived before that time by the gateway's
        // delay.
        func since(_ time: Int) -> Duration { .milliseconds(max(0, time - start - Self.delayMilliseconds)) }
        outcome.untilFirstRequest = since(first)
        outcome.untilFullWindow = since(times[Self.streams - 1])
        return outcome
    }
}
