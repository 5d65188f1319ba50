/// Gateways that harm by doing nothing, one after the other and by a seed, while work is always due: whatever
/// they do, within a minute there is progress or a told cause.
///
/// A phase replaces both gateways by others, each with a behaviour of its own, submits a delivery, and lasts
/// until the status shows a cause or messages were sent, or for the time that it was given if that is longer.
/// At the end the gateways are sound, and everybody must be reached.
/// **Neighbours.** ``ChaosScenario`` for what is lost; this one is about silence.
package struct StallScenario: Sendable {
    package var seed: UInt64
    package var phases: Int
    /// The longest that a phase goes on after something was told. Above the minute it shows that what was
    /// told is shown for as long as it lasts.
    package var holdSeconds: Int
    package var devices = 100

    /// What *within a minute* is measured by.
    package static let patience: Duration = .seconds(60)

    package init(seed: UInt64, phases: Int, holdSeconds: Int) {
        self.seed = seed
        self.phases = phases
        self.holdSeconds = holdSeconds
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.requestTimeoutSeconds = 2
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        return settings
    }

    /// How a gateway harms: in the language of the sink's rules, and the streams that it allows.
    package struct Peer: Sendable, CustomStringConvertible {
        package var rules: String
        package var streams = 100
        package var description: String { rules.isEmpty ? "\(streams) streams" : rules }
    }

    /// - Parameter count: how many requests a connection serves before it turns bad.
    package static func peers(after count: Int) -> [Peer] {
        let late = count > 0 ? " connection-after \(count)" : ""
        let acts = [
            "silent", "half-open", "close", "reset", "refuse", "goaway", "goaway graceful", "drip 100000",
            "status 500 InternalServerError", "status 503 ServiceUnavailable", "status 429 TooManyRequests",
            "max-streams 0", "interim", "crumbs", "empty-data", "header-bomb", "ping-flood", "settings-flood",
        ]
        return acts.map { Peer(rules: "* \($0)\(late)") } + [Peer(rules: "", streams: 0)]
    }

    package struct Report: Sendable {
        package var phases: [String] = []
        /// Without progress and without a told cause, at the longest.
        package var longestSilence: Duration = .zero
        package var sent = 0
        /// Failed, because the gateway answered twice with a 200 that names no message: the device may have it,
        /// and a further attempt might be a duplicate.
        package var perhapsSent = 0
        package var deliveries: [DeliveryReport] = []
    }

    // MARK: The run

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        var chance = Chance(seed: seed)
        var report = Report()
        try await testbed.createService()
        for platform in [Testbed.Platform.ios, .android] {
            try await testbed.createApp(for: platform)
            let subscribers = SyntheticSubscribers(devices, seed: seed, isAndroid: platform == .android)
            try await testbed.importSubscribers(subscribers, into: platform.app)
        }
        try await testbed.startEngine()
        // The alarm of an account whose gateway has answered nothing well for a minute: it tells the cause.
        testbed.expectedComplaints.append(" is stalled: work is due, and nothing was answered well for ")
        let document = DeliveryText(apps: [Testbed.app, Testbed.androidApp])
        var deliveries: [Int] = []
        var watch = SilenceWatch()
        for number in 1...phases {
            let peers = (0..<2).map { _ in Self.peers(after: Int.random(in: 0...30, using: &chance)) }
            let pair = peers.map { $0.randomElement(using: &chance) ?? Peer(rules: "") }
            let hold = Duration.seconds(Int.random(in: 1...max(holdSeconds, 1), using: &chance))
            try await testbed.stopGateway()
            try await testbed.startGateway(gateway(pair[0], pair[1]))
            deliveries.append(try await testbed.submit(document))
            let (told, sent) = try await phase(in: testbed, of: deliveries, hold: hold, &watch)
            report.phases.append(
                "phase \(number): apns '\(pair[0])', fcm '\(pair[1])': \(sent) sent, \(told)")
            say(report.phases.last ?? "")
        }
        try await testbed.stopGateway()
        try await testbed.startGateway()
        for delivery in deliveries {
            report.deliveries.append(try await testbed.settle(delivery, within: .seconds(300)))
        }
        report.sent = report.deliveries.reduce(0) { $0 + $1.counts.sent }
        report.perhapsSent = report.deliveries.reduce(0) { sum, delivery in
            let unclear = (delivery.failures ?? []).filter { $0.providerReason.hasPrefix("(unclear answer)") }
            return sum + unclear.reduce(0) { $0 + $1.count }
        }
        report.longestSilence = watch.longest
        return report
    }

    private func gateway(_ apns: Peer, _ fcm: Peer) -> TestbedSettings.Gateway {
        var gateway = settings.gateway
        gateway.rules = apns.rules + "\n"
        gateway.streams = apns.streams
        gateway.fcm?.rules = fcm.rules + "\n"
        gateway.fcm?.streams = fcm.streams
        return gateway
    }

    /// Watches until something is told or sent, and the time to hold is over.
    private func phase(
        in testbed: Testbed, of deliveries: [Int], hold: Duration, _ watch: inout SilenceWatch
    ) async throws -> (told: String, sent: Int) {
        let began = ContinuousClock.now
        var first: Sight?
        var told = ""
        let limit = Self.patience + hold + .seconds(60)
        return try await Waiting.until(
            "progress or a told cause", within: limit, longestNap: .milliseconds(250)
        ) {
            let sight = try await Sight(of: deliveries, in: testbed)
            let start = first ?? sight
            first = start
            let sent = sight.sent - start.sent
            if let cause = sight.cause ?? sight.trouble(since: start) { told = cause }
            try watch.see(sight)
            let isOver = ContinuousClock.now - began >= hold && (!told.isEmpty || sent > 0 || !sight.isDue)
            return isOver ? (told.isEmpty ? "nothing to tell" : told, sent) : nil
        }
    }

    /// What an operator sees at one moment.
    struct Sight: Sendable {
        var sent = 0
        var isDue = false
        /// What the status says is wrong; nil: nothing.
        var cause: String?

        init(of deliveries: [Int], in testbed: Testbed) async throws {
            for delivery in deliveries {
                let report = try await testbed.show(delivery)
                sent += report.counts.sent
                isDue = isDue || !report.isOver
            }
            guard let master = try await testbed.status().master else {
                throw LoadError(.wrong("no master runs"))
            }
            let account = master.accounts.first { $0.state != "working" && !$0.reason.isEmpty }
            let trouble = master.accounts.flatMap(\.troubles).max { $0.lastAt < $1.lastAt }
            // Of a trouble only the second is known: what is older than a few is no news.
            troubleAt = trouble?.lastAt
            cause = master.trouble ?? account.map { "\($0.state): \($0.reason)" }
            self.trouble = trouble?.text
        }
        private var trouble: String?
        var troubleAt: String?

        /// The last answer that is no acceptance, if it has come after that sight: an account keeps working
        /// while its gateway answers 503.
        func trouble(since earlier: Sight) -> String? { troubleAt == earlier.troubleAt ? nil : trouble }
    }
}

/// How long nothing was sent and nothing told, while work was due.
struct SilenceWatch {
    private(set) var longest: Duration = .zero
    private var since = ContinuousClock.now
    private var sent = 0
    private var troubleAt: String?

    /// - Throws: ``LoadError`` when it was silent for longer than a minute.
    mutating func see(_ sight: StallScenario.Sight) throws(LoadError) {
        let now = ContinuousClock.now
        // Another trouble than at the last look is one that was told since.
        let isNew = sight.troubleAt != troubleAt
        if !sight.isDue || sight.sent != sent || sight.cause != nil || isNew {
            longest = max(longest, now - since)
            since = now
        }
        (sent, troubleAt) = (sight.sent, sight.troubleAt)
        longest = max(longest, now - since)
        guard now - since <= StallScenario.patience + .seconds(2) else {
            throw LoadError(.wrong("for \((now - since).inSeconds) s nothing was sent and nothing told"))
        }
    }
}
