internal import FoundationEssentials

/// An app that an operator switches to another connector while a delivery is in progress, and back.
///
/// **Promises.** Both switches happen while messages wait: the delivery has a rate, or is large. A few devices are in
/// quarantine before it begins. Whether all is as it must be, ``Report/findings`` shows.
package struct SwitchScenario: Sendable {
    package enum Gateway: String, CaseIterable, Sendable {
        /// From APNs over HTTP/2 with a token key to the binary gateway with a certificate.
        case apple
        /// From FCM's V2 connector to V1, with the same service account.
        case google
    }

    package var gateway: Gateway
    package var devices: Int
    /// nil: as fast as it can be.
    package var ratePerSecond: Int?
    /// Whether the master is killed after each switch, while the gateways have messages of both connectors.
    package var killsMaster = false

    /// Devices whose tokens are dead. The delivery that finds them has forty times as many devices.
    private static let dead = 10
    private static let firstDevices = 400
    /// Messages of each child that a kill may cause to be sent twice.
    private static let smallCapacity = 500

    package init(_ gateway: Gateway, devices: Int, ratePerSecond: Int? = nil) {
        self.gateway = gateway
        self.devices = devices
        self.ratePerSecond = ratePerSecond
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.children = 2
        settings.childrenAtStart = 2
        if killsMaster { settings.capacity = Self.smallCapacity }
        settings.gateway.delayMilliseconds = 20
        switch gateway {
        case .apple:
            settings.gateway.rules = "d1* status 410 Unregistered each 1\n"
            settings.gateway.binary = TestbedSettings.Gateway.Binary()
        case .google:
            var fcm = TestbedSettings.Gateway.FCM()
            fcm.delayMilliseconds = 2
            fcm.rules = "d1* fcm UNREGISTERED each 1\n"
            settings.gateway.fcm = fcm
        }
        return settings
    }

    package struct Report: Sendable {
        package var excluded = 0
        package var audit = DeliveryAudit()
        /// Messages that needed more than one attempt.
        package var repeated = 0
        /// Subscribers and quarantine, as exported before the delivery and after it.
        package var keepsStates = false
        /// Which interface the first request used, then the other ones, and then the last request.
        package var ways: [GatewayRequest.Interface] = []
        /// From each command's start to its end.
        package var switchSeconds: [Double] = []
        /// How often the engine reported that the app goes on through another account.
        package var moves = 0
        package var seconds = 0.0
    }

    private var app: String { gateway == .apple ? Testbed.app : Testbed.androidApp }

    private var subscribers: SyntheticSubscribers {
        SyntheticSubscribers(
            devices, prefixes: ["d1"], perPrefix: Self.dead, isAndroid: gateway == .google)
    }

    /// There and back.
    private func switches(in testbed: Testbed) -> [[String]] {
        switch gateway {
        case .apple:
            let certificate = testbed.folder.file("certs/\(Testbed.BinaryCertificate.good.rawValue)")
            return [
                ["--connector", "ios", "--pem", certificate], ["--connector", "iosHTTP2"] + testbed.key,
            ]
        case .google:
            return [Testbed.AndroidConnector.one, .many].map { ["--connector", $0.rawValue] }
        }
    }

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        try await testbed.createService()
        try await testbed.createApp(for: gateway == .apple ? .ios : .android)
        try await testbed.importSubscribers(subscribers, into: app)
        try await findDead(in: testbed)
        try await testbed.startEngine()
        let before = try await states(in: testbed)
        var report = Report()
        let begin = ContinuousClock.now
        let since = Int(Date().timeIntervalSince1970 * 1_000)
        var text = DeliveryText(apps: [app])
        text.ratePerSecond = ratePerSecond
        let delivery = try await testbed.submit(text)
        for (index, options) in switches(in: testbed).enumerated() {
            let mark = devices * (index + 1) / 5
            let found = try await testbed.wait(
                for: delivery, "\(mark) messages to be sent", within: limit
            ) { $0.counts.sent >= mark }
            let said = try await testbed.succeed(["app", "update", app] + options)
            report.switchSeconds.append(said.seconds)
            say("\(options[1]) after \(found.counts.sent) of \(devices), in \(said.seconds.fixed(2)) s")
            guard killsMaster else { continue }
            try await Waiting.until("the engine to have switched") {
                moves(in: testbed) > index ? () : nil
            }
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
        }
        let end = try await testbed.settle(delivery, within: limit)
        report.seconds = (ContinuousClock.now - begin).inSeconds
        say("delivery \(delivery) \(end.summary) in \(report.seconds.fixed(1)) s")
        report.keepsStates = try await states(in: testbed) == before
        report.moves = moves(in: testbed)
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        try await judge(delivery, since: since, in: testbed, &report)
        return report
    }

    private func moves(in testbed: Testbed) -> Int {
        testbed.engineLog.split(separator: "\n").count { $0.contains("goes on through") }
    }

    private var limit: Duration { .seconds(120 + devices / 500) }

    /// A first delivery, to a few; verdicts about tokens are judged before the master's end.
    private func findDead(in testbed: Testbed) async throws {
        try await testbed.startEngine()
        var text = DeliveryText(apps: [app])
        let keys = (0..<min(Self.firstDevices, devices)).map { "\"\(subscribers.userKey($0))\"" }
        text.target = #"{"userKeys": [\#(keys.joined(separator: ", "))]}"#
        try await testbed.settle(try await testbed.submit(text))
        try await testbed.stopEngine()
    }

    /// All that is kept of each subscriber.
    private func states(in testbed: Testbed) async throws -> [String] {
        [
            try await testbed.succeed(["subscribers", "export", "--app", app], within: limit).output,
            try await testbed.succeed(["quarantine", "list", "--app", app, "--json"]).output,
        ]
    }

    private func judge(
        _ delivery: Int, since: Int, in testbed: Testbed, _ report: inout Report
    ) async throws {
        let rows = try await testbed.messageLog(delivery, within: limit)
        let requests = try testbed.gatewayRequests().filter { $0.time >= since }
        let shown = try await testbed.show(delivery)
        report.excluded = shown.counts.excluded
        report.audit = DeliveryAudit(report: shown, log: rows, requests: requests)
        report.repeated = rows.count { $0.attempts > 1 }
        let inOrder = requests.sorted { $0.time < $1.time }
        guard let first = inOrder.first?.interface, let last = inOrder.last?.interface else { return }
        report.ways = [first] + Set(inOrder.map(\.interface)).subtracting([first]) + [last]
    }

    package func findings(_ report: Report) -> [Finding] {
        var expected = DeliveryAudit()
        (expected.targeted, expected.sent) = (devices - Self.dead, devices - Self.dead)
        (expected.reached, expected.excluded) = (devices - Self.dead, Self.dead)
        let ways = gateway == .apple ? [GatewayRequest.Interface.apns, .binary, .apns] : [.v1, .v1]
        let bound = killsMaster ? 2 * settings.children * settings.capacity : 0
        let audit = killsMaster ? report.audit.withoutRepeats : report.audit
        return [
            Finding(
                what: "no message is lost", holds: audit == expected,
                numbers: audit == expected ? "\(audit.reached)" : "\(report.audit)"),
            Finding(
                what: "none is sent twice beyond the bound of \(bound)", holds: report.audit.doubled <= bound,
                numbers: "\(report.audit.doubled)"),
            Finding(
                what: "each message took one attempt, except those that a kill left without an answer",
                holds: report.repeated <= bound, numbers: "\(report.repeated) took more"),
            Finding(
                what: "no subscription and no quarantine has changed", holds: report.keepsStates,
                numbers: "\(devices) and \(report.excluded)"),
            Finding(
                what: "the gateway was asked both ways, there and back", holds: report.ways == ways,
                numbers: report.ways.map(\.rawValue).joined(separator: ", ")),
            Finding(
                what: "each switch was made once", holds: report.moves == 2, numbers: "\(report.moves)"),
        ]
    }
}

extension Testbed {
    /// The options of the token key.
    fileprivate var key: [String] {
        [
            "--p8", folder.file("certs/AuthKey_\(account.keyID).p8"), "--key-id", account.keyID, "--team-id",
            account.teamID,
        ]
    }
}
