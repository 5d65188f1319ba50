package import ArgumentParser

/// **Promises.** Both switches happen while messages wait, because the delivery has a rate or is large. A few
/// devices are already in quarantine when the delivery begins.
package struct SwitchScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "switches",
        abstract:
            "Switch an app to another connector and back during a delivery, and account for every message.",
        discussion: """
            Prints every assertion with its numbers. Exit status 0: all assertions hold, for both gateways.

            Example: pushload switches --devices 100000 --gateway apple
            """
    )

    package enum Gateway: String, CaseIterable, ExpressibleByArgument, Sendable {
        /// APNs over HTTP/2 with a token key, switched to the binary gateway with a certificate.
        case apple
        /// FCM's V2 connector, switched to V1 with the same service account.
        case google
    }

    @Option(help: .count("The number of subscribers of the app.")) package var devices = 1_000_000
    @Option(help: .store) package var store = TestbedSettings.usualStore
    @Option(help: "apple: HTTP/2 and the binary gateway. google: V2 and V1. Without this option, both.")
    package var gateway: Gateway?

    /// The rate of the delivery, in messages per second; `nil` means as fast as possible.
    package var ratePerSecond: Int?
    /// Whether the master is killed after each switch, while the gateways have messages from both connectors.
    package var killsMaster = false

    /// The number of devices with dead tokens. The delivery that finds these tokens has forty times as many
    /// devices.
    private static let dead = 10
    private static let firstDevices = 400
    /// The capacity of a child, which is the maximum number of its messages that are sent twice because of a
    /// kill.
    private static let smallCapacity = 500

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> { ["devices": 10_000...10_000_000] }

    package var parts: [Self] {
        gateway == nil ? Gateway.allCases.map { gateway in with { $0.gateway = gateway } } : [self]
    }

    private var isApple: Bool { gateway != .google }

    package var settings: TestbedSettings {
        TestbedSettings(store: store, children: 2) {
            if killsMaster { $0.capacity = Self.smallCapacity }
            $0.gateway.delayMilliseconds = 20
            if isApple {
                $0.gateway.rules = "d1* status 410 Unregistered each 1\n"
                $0.gateway.binary = .init()
            } else {
                $0.gateway.fcm = .init(delayMilliseconds: 2, rules: "d1* fcm UNREGISTERED each 1\n")
            }
        }
    }

    private var app: String { isApple ? Testbed.app : Testbed.androidApp }

    private var subscribers: SyntheticSubscribers {
        SyntheticSubscribers(devices, prefixes: ["d1"], perPrefix: Self.dead, isAndroid: !isApple)
    }

    /// Returns the options for the switch and the options for the switch back.
    private func switches(in testbed: Testbed) -> [[String]] {
        guard isApple else {
            return [Testbed.AndroidConnector.one, .many].map { ["--connector", $0.rawValue] }
        }
        let certificate = testbed.path(of: .good)
        return [
            ["--connector", "ios", "--pem", certificate],
            ["--connector", "iosHTTP2"] + testbed.options(of: .token),
        ]
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Verdict {
        try await testbed.createService()
        try await testbed.createApp(for: isApple ? .ios : .android)
        try await testbed.importSubscribers(subscribers, into: app)
        try await findDead(in: testbed)
        try await testbed.startEngine()
        let before = try await states(in: testbed)
        let begin = ContinuousClock.now
        let since = EpochTime.now
        var text = DeliveryText(apps: [app])
        text.ratePerSecond = ratePerSecond
        let delivery = try await testbed.submit(text)
        for (index, options) in switches(in: testbed).enumerated() {
            let mark = devices * (index + 1) / 5
            let found = try await testbed.wait(for: delivery, "\(mark) messages to be sent", within: limit) {
                $0.counts.sent >= mark
            }
            let said = try await testbed.succeed(["app", "update", app] + options)
            say("\(options[1]) after \(found.counts.sent) of \(devices), in \(said.seconds.fixed(2)) s")
            guard killsMaster else { continue }
            try await Waiting.until("the engine to switch the connector") {
                moves(in: testbed) > index ? () : nil
            }
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
        }
        let end = try await testbed.settle(delivery, within: limit)
        say("delivery \(delivery) \(end.summary) in \((ContinuousClock.now - begin).inSeconds.fixed(1)) s")
        let keepsStates = try await states(in: testbed) == before
        try await testbed.finish()
        return try await judge(delivery, since: since, keepsStates: keepsStates, in: testbed)
    }

    private func moves(in testbed: Testbed) -> Int {
        testbed.engineLog.split(separator: "\n").count { $0.contains("it now uses account") }
    }

    private var limit: Duration { .seconds(120 + devices / 500) }

    /// Sends a first delivery to a few devices. The verdicts about their tokens are reached before the master
    /// ends.
    private func findDead(in testbed: Testbed) async throws {
        try await testbed.startEngine()
        var text = DeliveryText(apps: [app])
        text.target = subscribers.target(ofFirst: min(Self.firstDevices, devices))
        try await testbed.settle(try await testbed.submit(text))
        try await testbed.stopEngine()
    }

    /// Returns everything that is stored about each subscriber.
    private func states(in testbed: Testbed) async throws -> [String] {
        [
            try await testbed.succeed(
                ["subscribers", "export", "--app", app, "--without-facts"], within: limit
            ).output,
            try await testbed.succeed(["quarantine", "list", "--app", app, "--json"]).output,
        ]
    }

    /// - Parameter keepsStates: Whether the subscribers and the quarantine were the same before and after the
    ///   delivery.
    private func judge(
        _ delivery: Int, since: Int, keepsStates: Bool, in testbed: Testbed
    ) async throws -> Verdict {
        let rows = try await testbed.messageLog(delivery, within: limit)
        let requests = try testbed.gatewayRequests().filter { $0.time >= since }.sorted { $0.time < $1.time }
        let shown = try await testbed.show(delivery)
        let all = DeliveryAudit(report: shown, log: rows, requests: requests)
        let audit = killsMaster ? all.withoutRepeats : all
        var expected = DeliveryAudit.everyoneOnce(devices - Self.dead)
        expected.excluded = Self.dead
        let bound = killsMaster ? 2 * settings.children * settings.capacity : 0
        let repeated = rows.count { $0.attempts > 1 }
        let moves = moves(in: testbed)
        // The interface of the first request, then all other interfaces, then the interface of the last
        // request.
        let used = requests.map(\.interface)
        let ways = used.prefix(1) + Set(used).subtracting(used.prefix(1)) + used.suffix(1)
        return Verdict([
            Finding(
                "no message is lost", audit == expected, audit == expected ? "\(audit.reached)" : "\(all)"),
            Finding(
                "at most \(bound) messages are sent twice", all.doubled <= bound, "\(all.doubled)"),
            Finding(
                "each message needed one attempt, except those that a kill left without an answer",
                repeated <= bound, "\(repeated) took more"),
            Finding(
                "subscriptions and quarantine are unchanged", keepsStates,
                "\(devices) and \(shown.counts.excluded)"),
            Finding(
                "the gateway received requests through both connectors, there and back",
                ways == (isApple ? [.apns, .binary, .apns] : [.v1, .v1]),
                ways.map(\.rawValue).joined(separator: ", ")),
            Finding("each switch was made once", moves == 2, "\(moves)"),
        ])
    }
}
