package import ArgumentParser

/// Gateways that are silent but do not lose messages. ``ChaosScenario`` tests losses.
///
/// A phase replaces both gateways with gateways that behave differently, and submits a delivery. The phase
/// ends when its minimum time is over and the status has shown a cause or messages have been sent. After the
/// last phase, the gateways are healthy.
package struct StallScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "stalls",
        abstract:
            "Connect the engine to faulty gateways, and check that it reports the cause.",
        discussion: """
            APNs and FCM change their behaviour in phases, according to a seed, while messages are due. Exit \
            status 0: in every minute there was progress or a reported cause, and at the end every \
            device was reached, except devices for which it is unclear whether the gateway accepted the \
            message.

            Example: pushload stalls --phases 4 --seed 7
            """)

    @Option(help: .seed) package var seed = Seed()
    @Option(help: .count("The number of phases. The gateways change their behaviour in each phase.")) package
        var phases = 12
    /// A value above one minute tests that a cause is reported for as long as it lasts.
    @Option(help: .seconds("The maximum duration of a phase, unless progress or a cause is reported later."))
    package var holdSeconds = 75

    static let devices = 100

    /// The time within which a cause must be reported.
    package static let patience: Duration = .seconds(60)

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["phases": 1...10_000, "hold-seconds": 1...3_600]
    }

    package var settings: TestbedSettings {
        TestbedSettings {
            $0.requestTimeoutSeconds = 2
            $0.retry = .eachSecond
            $0.gateway.fcm = .init()
        }
    }

    package struct Outcome: Sendable {
        package var phases: [String] = []
        /// The longest time in which there was neither progress nor a reported cause.
        package var longestSilence: Duration = .zero
        var sent = 0
        /// The number of messages that failed because the gateway answered twice with a 200 that does not
        /// name a message. The device may have the message, and a further attempt might cause a duplicate.
        var perhapsSent = 0
    }

    package func verdict(on outcome: Outcome) -> Verdict {
        let all = 2 * Self.devices * phases
        let silence = outcome.longestSilence
        return Verdict([
            Finding(
                "every device is reached at the end", outcome.sent + outcome.perhapsSent == all,
                "\(outcome.sent) of \(all) sent, \(outcome.perhapsSent) possibly sent"),
            Finding(
                "within a minute there is progress or a reported cause", silence <= Self.longestSilence,
                "maximum silence \(silence.inSeconds.fixed(1)) s"),
        ])
    }

    /// The maximum for `longestSilence`. It is higher than the limit, because each observation takes a
    /// moment.
    static let longestSilence = patience + .seconds(2)

    /// A harmful gateway: its behaviour in the language of the sink's rules, and the number of streams that
    /// it allows.
    private struct Peer: Sendable, CustomStringConvertible {
        var rules: String
        var streams = 100
        var description: String { rules.isEmpty ? "\(streams) streams" : rules }
    }

    /// - Parameter count: The number of requests that the gateway serves on a connection before its behaviour
    ///   on that connection turns harmful.
    private static func peers(after count: Int) -> [Peer] {
        let late = count > 0 ? " connection-after \(count)" : ""
        let acts = [
            "silent", "half-open", "close", "reset", "refuse", "goaway", "goaway graceful", "drip 100000",
            "status 500 InternalServerError", "status 503 ServiceUnavailable", "status 429 TooManyRequests",
            "max-streams 0", "interim", "crumbs", "empty-data", "header-bomb", "ping-flood", "settings-flood",
        ]
        return acts.map { Peer(rules: "* \($0)\(late)") } + [Peer(rules: "", streams: 0)]
    }

    // MARK: The run

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome {
        var chance = SplitMix64(seed: seed.number)
        var outcome = Outcome()
        try await testbed.begin(
            [.ios, .android].map { platform in
                (platform, .init(Self.devices, seed: seed.number, isAndroid: platform == .android))
            })
        // The alarm about an account whose gateway has not accepted a message for a minute. The alarm states
        // the cause.
        testbed.expectedComplaints.append(
            " is stalled: messages are due, and none was answered successfully for ")
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
            outcome.phases.append(
                "phase \(number): apns '\(pair[0])', fcm '\(pair[1])': \(sent) sent, \(told)")
            say(outcome.phases.last ?? "")
        }
        try await testbed.stopGateway()
        try await testbed.startGateway()
        for delivery in deliveries {
            let report = try await testbed.settle(delivery, within: .seconds(300))
            let unclear = (report.failures ?? []).filter { $0.providerReason.hasPrefix("(unclear answer)") }
            outcome.sent += report.counts.sent
            outcome.perhapsSent += unclear.sum(of: \.count)
        }
        outcome.longestSilence = watch.longest
        return outcome
    }

    private func gateway(_ apns: Peer, _ fcm: Peer) -> TestbedSettings.Gateway {
        var gateway = settings.gateway
        gateway.rules = apns.rules + "\n"
        gateway.streams = apns.streams
        gateway.fcm?.rules = fcm.rules + "\n"
        gateway.fcm?.streams = fcm.streams
        return gateway
    }

    /// Watches the deliveries until the minimum time of the phase is over and a cause was reported or
    /// messages were sent.
    private func phase(
        in testbed: Testbed, of deliveries: [Int], hold: Duration, _ watch: inout SilenceWatch
    ) async throws -> (told: String, sent: Int) {
        let began = ContinuousClock.now
        var first: Snapshot?
        var told = ""
        let limit = Self.patience + hold + .seconds(60)
        return try await Waiting.until(
            "progress or a reported cause", within: limit, maxPollInterval: .milliseconds(250)
        ) {
            let snapshot = try await Snapshot(of: deliveries, in: testbed)
            let start = first ?? snapshot
            first = start
            let sent = snapshot.sent - start.sent
            if let cause = snapshot.cause ?? snapshot.trouble(since: start) { told = cause }
            try watch.see(snapshot)
            let isOver = ContinuousClock.now - began >= hold && (!told.isEmpty || sent > 0 || !snapshot.isDue)
            return isOver ? (told.isEmpty ? "nothing to report" : told, sent) : nil
        }
    }

    /// The state that is shown to an operator at one moment.
    struct Snapshot: Sendable {
        var sent = 0
        var isDue = false
        /// The fault that the status reports; `nil` if there is none.
        var cause: String?
        /// The latest error of an account. Its time is known only to the second, and an error that is older
        /// than a few seconds is not new.
        private var trouble: StatusReport.Trouble?

        init(of deliveries: [Int], in testbed: Testbed) async throws {
            for delivery in deliveries {
                let report = try await testbed.show(delivery)
                sent += report.counts.sent
                isDue = isDue || !report.isOver
            }
            guard let master = try await testbed.status().master else {
                throw LoadError("no master is running")
            }
            let account = master.accounts.first { $0.state != "working" && !$0.reason.isEmpty }
            cause = master.trouble ?? account.map { "\($0.state): \($0.reason)" }
            trouble = master.accounts.flatMap(\.troubles).max { $0.lastAt < $1.lastAt }
        }

        /// Returns the last answer other than an acceptance, if it arrived after the earlier snapshot. The
        /// state of an account remains `working` while its gateway answers 503.
        func trouble(since earlier: Snapshot?) -> String? {
            trouble?.lastAt == earlier?.trouble?.lastAt ? nil : trouble?.text
        }
    }
}

/// Measures for how long nothing has been sent and no cause has been reported although messages were due.
struct SilenceWatch {
    private(set) var longest: Duration = .zero
    private var since = ContinuousClock.now
    private var last: StallScenario.Snapshot?

    /// - Throws: ``LoadError`` if the silence lasts longer than a minute.
    mutating func see(_ snapshot: StallScenario.Snapshot) throws(LoadError) {
        let now = ContinuousClock.now
        longest = max(longest, now - since)
        // An error that differs from the error in the last snapshot was reported since then.
        let isNew = snapshot.trouble(since: last) != nil
        if !snapshot.isDue || snapshot.sent != last?.sent || snapshot.cause != nil || isNew { since = now }
        last = snapshot
        guard now - since <= StallScenario.longestSilence else {
            throw LoadError("nothing was sent and no cause was reported for \((now - since).inSeconds) s")
        }
    }
}
