package import ArgumentParser

/// Two accounts of one engine.
///
/// The gateway's delay and number of streams limit the healthy account's rate to well below the limit of the
/// machine, so that the machine's limit does not affect the result.
package struct NeighbourScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "neighbours",
        abstract: "Measure an account alone and next to an account whose gateway is silent.",
        discussion: """
            Exit status 0: next to the silent account, the other account keeps at least nine tenths of its \
            rate.

            Example: pushload neighbours --messages 20000
            """)

    /// The number applies to each of the two apps.
    @Option(help: .count("The number of messages of each delivery.")) package var messages = 100_000
    @Option(
        help:
            """
            The number of concurrent streams that the gateway allows on a connection. Each answer takes \
            20 ms.
            """
    )
    package var streams = 200
    /// The capacity is so low that a single account could fill it.
    @Option(help: .count("The maximum number of messages that the child holds (maxWaitingMessages)."))
    package var capacity = 4_000

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["messages": 1_000...10_000_000, "streams": 1...100_000, "capacity": 1...1_000_000]
    }

    package var settings: TestbedSettings {
        TestbedSettings {
            $0.capacity = capacity
            $0.requestTimeoutSeconds = 5
            $0.gateway.streams = streams
            $0.gateway.delayMilliseconds = 20
            $0.gateway.rules = "d* silent\n"
        }
    }

    package struct Outcome: Sendable {
        /// The rates of the healthy account, in messages per second.
        var alone = 0.0
        var alongside = 0.0
        /// The number of messages of the silent account that had no answer when the healthy account had sent
        /// all its messages.
        package var unanswered = 0
        package var ratio: Double { alongside / max(alone, 0.001) }
    }

    package func verdict(on outcome: Outcome) -> Verdict {
        let (alone, alongside) = (outcome.alone.fixed(0), outcome.alongside.fixed(0))
        return Verdict(
            figures: [
                "alone \(alone)/s, next to a silent gateway \(alongside)/s: "
                    + "\((outcome.ratio * 100).fixed(1)) %; \(outcome.unanswered) of \(messages) messages "
                    + "wait for the silent gateway"
            ],
            [
                Finding(
                    "the silent account slows the other account by at most a tenth", outcome.ratio >= 0.9,
                    "\((outcome.ratio * 100).fixed(1)) % of its rate")
            ])
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome {
        try await testbed.createService()
        try await testbed.createApp("silent", credential: .token)
        try await testbed.createApp("sound", credential: .pkcs12)
        try await testbed.importSubscribers(
            .init(messages, prefixes: ["d"], perPrefix: messages), into: "silent")
        try await testbed.importSubscribers(
            .init(messages, prefixes: ["e"], perPrefix: messages), into: "sound")
        try await testbed.startEngine()
        // This delivery is not measured. It establishes the connection and opens the connection's window.
        try await send(in: testbed)
        let first = try await send(in: testbed)
        let silent = try await testbed.submit(DeliveryText(apps: ["silent"]))
        try await testbed.master("the silent account to be full") { $0.children.first { $0.inFlight > 0 } }
        let second = try await send(in: testbed)
        var outcome = Outcome()
        outcome.unanswered = try await testbed.show(silent).counts.pending
        try await testbed.finish()
        let requests = try testbed.gatewayRequests().filter { $0.ending == .accepted }
        outcome.alone = Self.rate(of: first, requests)
        outcome.alongside = Self.rate(of: second, requests)
        return outcome
    }

    @discardableResult
    private func send(in testbed: Testbed) async throws -> Int {
        let delivery = try await testbed.submit(DeliveryText(apps: ["sound"]))
        try await testbed.settle(delivery, within: .seconds(60 + messages / 100))
        return delivery
    }

    private static func rate(of delivery: Int, _ requests: [GatewayRequest]) -> Double {
        let times = requests.filter { $0.isOf(delivery: delivery) }.map(\.time)
        guard let first = times.min(), let last = times.max(), last > first else { return 0 }
        return Double(times.count) / (Double(last - first) / 1_000)
    }
}
