/// Two accounts of one engine: how fast the sound one is alone, and how fast beside one whose gateway never
/// answers.
///
/// The gateway's delay and number of streams bound the sound account's rate, well below what the machine
/// could do: what is measured is who stands in whose way.
package struct NeighbourScenario: Sendable {
    /// Of the sound app; the other has as many.
    package var messages: Int

    package init(messages: Int) { self.messages = messages }

    /// - Parameter capacity: so little that a single account could fill it.
    package static func settings(streams: Int = 50, capacity: Int = 1_000) -> TestbedSettings {
        var settings = TestbedSettings()
        settings.capacity = capacity
        settings.requestTimeoutSeconds = 5
        settings.gateway.streams = streams
        settings.gateway.delayMilliseconds = 20
        settings.gateway.rules = "d* silent\n"
        return settings
    }

    package struct Report: Sendable {
        /// Messages a second.
        package var alone = 0.0
        package var beside = 0.0
        /// Of the silent account, when the sound one was done.
        package var unanswered = 0
        package var ratio: Double { beside / max(alone, 0.001) }
    }

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        try await testbed.createService()
        try await testbed.createApp("silent", credential: .token)
        try await testbed.createApp("sound", credential: .pkcs12)
        try await testbed.importSubscribers(
            .init(messages, prefixes: ["d"], perPrefix: messages), into: "silent")
        try await testbed.importSubscribers(
            .init(messages, prefixes: ["e"], perPrefix: messages), into: "sound")
        try await testbed.startEngine()
        // Not measured: the connection stands and its window is open.
        try await send(in: testbed)
        let first = try await send(in: testbed)
        let silent = try await testbed.submit(DeliveryText(apps: ["silent"]))
        try await testbed.master("the silent account to be full") { $0.children.first { $0.inFlight > 0 } }
        let second = try await send(in: testbed)
        var report = Report()
        report.unanswered = try await testbed.show(silent).counts.pending
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        let requests = try testbed.gatewayRequests().filter { $0.ending == .accepted }
        report.alone = Self.rate(of: first, requests)
        report.beside = Self.rate(of: second, requests)
        return report
    }

    @discardableResult
    private func send(in testbed: Testbed) async throws -> Int {
        let delivery = try await testbed.submit(DeliveryText(apps: ["sound"]))
        try await testbed.settle(delivery, within: .seconds(60 + messages / 100))
        return delivery
    }

    private static func rate(of delivery: Int, _ requests: [GatewayRequest]) -> Double {
        let mark = "\"_dId\":\"\(delivery)\""
        let times = requests.lazy.filter { $0.body.contains(mark) }.map(\.time)
        guard let first = times.min(), let last = times.max(), last > first else { return 0 }
        return Double(times.count) / (Double(last - first) / 1_000)
    }
}
