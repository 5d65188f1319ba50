package import ArgumentParser

/// A run in which all possible faults occur at the same time.
///
/// Two deliveries to all devices run side by side. A third delivery follows and must exclude the devices
/// whose tokens were found to be dead. The retry schedule is so short that every retry falls within the run.
/// **Promises.** The moments of kills are defined by numbers of messages, not by time. The same seed kills
/// the same victims after about the same number of messages, and the sink's faults come after exactly the
/// same number of requests.
package struct ChaosScenario: Scenario, HasDeadDevices {
    package static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Cause all kinds of faults at the same time, and compare the records at both ends.",
        discussion: """
            Runs APNs, FCM and the former binary gateway with random faults and dead tokens. Kills children, \
            masters, masters together with their children, and the store's server if there is one. The seed \
            determines when each fault occurs. Prints every assertion with its numbers. Exit status 0: all \
            assertions hold.

            Example: pushload chaos --devices 2000 --kills 10
            """)

    package enum Victim: String, Sendable, CaseIterable { case child, master, both, database }

    /// Returns the kinds of victim in a run on this store engine. A database in a file has no server to kill.
    package static func victims(on engine: TestbedSettings.StoreEngine) -> [Victim] {
        Victim.allCases.filter { $0 != .database || engine == .postgresql }
    }

    @Option(help: .seed) package var seed = Seed()
    @Option(help: .count("The number of devices of each of the three apps.")) package var devices = 20_000
    @Option(help: .count("The number of kills.")) package var kills = 50
    @Option(help: .count("The number of random faults for each gateway.")) package var faults = 60
    @Option(help: .store) package var store = TestbedSettings.usualStore
    @Flag(help: "Accept the run even if some of the faults never happen, for example because it is short.")
    package var allowsMissingFaults = false

    /// One in this many devices has a dead token. This proportion is far too low to be considered a storm.
    package var deadOneIn = 50
    /// The maximum time that a child may outlive its master.
    package var orphanLimit: Duration = .seconds(2)

    static let capacity = 250
    static let unconfirmed = 500
    static let children = 2

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["devices": 500...1_000_000, "faults": 1...10_000, "kills": 0...1_000]
    }

    package func verdict(on report: ChaosReport) -> Verdict { Verdict(report.findings) }

    package var settings: TestbedSettings {
        TestbedSettings(store: store, children: Self.children) {
            $0.capacity = Self.capacity
            $0.parallelRequests = 50
            $0.requestTimeoutSeconds = 1
            $0.retry = .eachSecond
            $0.binary.unconfirmedFrames = Self.unconfirmed
            // The confirmation time is longer than the random fault in which the gateway is silent, because
            // such a silence cannot be distinguished from success.
            $0.binary.confirmAfterSeconds = 2
            $0.gateway.streams = 100
            $0.gateway.delayMilliseconds = 10
            $0.gateway.rules = rules(of: .ios)
            $0.gateway.fcm = .init(delayMilliseconds: 10, rules: rules(of: .android))
            $0.gateway.binary = .init(rules: rules(of: .iosBinary))
            var randomFaults = TestbedSettings.Gateway.RandomFaults(seed: seed.number)
            // The faults extend into the third delivery. No process is killed during that delivery, so a
            // child that waits for a slow answer stays alive until the answer arrives.
            randomFaults.every = max(devices * 14 / 5 / faults, 1)
            randomFaults.count = faults
            randomFaults.silenceMilliseconds = 1_500
            // The sink's random 429 and 503 are left out. The length of a burst is a number of requests, but
            // a client that obeys such an answer sends only one request per pause. The script in `rules(of:)`
            // causes these answers instead.
            randomFaults.faults = (ChaosReport.http + ChaosReport.binaryAlone).joined(separator: ",")
            $0.gateway.randomFaults = randomFaults
        }
    }

    /// Returns the rules for dead devices and for the periods in which the gateway refuses requests.
    private func rules(of platform: Testbed.Platform) -> String {
        var chance = SplitMix64(seed: seed.number &+ 1)
        func early() -> Int { .random(in: devices / 10...devices, using: &chance) }
        let script =
            switch platform {
            case .ios:
                """
                * status 429 TooManyRequests after \(early()) times 20
                * status 503 ServiceUnavailable after \(early()) times 20
                * status 429 TooManyRequests retry-after 1 after \(early()) times 3
                * status 503 ServiceUnavailable retry-after date 2 after \(early()) times 1
                * status 503 Shutdown after \(early()) times 3

                """
            case .android:
                """
                * fcm UNAVAILABLE after \(early()) times 20
                * fcm QUOTA_EXCEEDED retry-after 1 after \(early()) times 5
                * fcm UNAVAILABLE retry-after date 2 after \(early()) times 1

                """
            case .iosBinary: ""
            }
        return rulesOfDead(of: platform) + script
    }

    // MARK: The run

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> ChaosReport {
        // If a child is killed immediately after it starts, the engine logs the following line, although the
        // installation is not faulty.
        testbed.expectedComplaints.append("a child ended before it did any work")
        if testbed.settings.store == .postgresql { testbed.expectedComplaints.append("cannot be reached") }
        try await testbed.begin(Testbed.Platform.allCases.map { ($0, subscribers(of: $0)) })
        var report = ChaosReport(self)
        let document = DeliveryText(apps: Testbed.Platform.allCases.map(\.app))
        let deliveries = [try await testbed.submit(document), try await testbed.submit(document)]
        try await kill(in: testbed, amid: deliveries, &report, say)
        let limit = Duration.seconds(90 + devices / 100)
        try await testbed.settle(deliveries, within: limit, say: say)
        let last = try await testbed.submit(document)
        try await testbed.settle([last], within: limit, say: say)
        try await testbed.finish()
        report.summary = try testbed.gatewaySummary()
        let requests = try testbed.gatewayRequests()
        report.chapters = try await testbed.chapters(of: deliveries + [last], requests)
        report.strays = report.chapters.strays(in: requests)
        return report
    }

    private func kill(
        in testbed: Testbed, amid deliveries: [Int], _ report: inout ChaosReport, _ say: (String) -> Void
    ) async throws {
        var chance = SplitMix64(seed: seed.number)
        let all = deliveries.count * Testbed.Platform.allCases.count * devices
        let moments = (0..<kills).map { _ in Int.random(in: all / 50...all * 4 / 5, using: &chance) }.sorted()
        // Each kind of victim is used once before any kind is used again.
        var deck: [Victim] = []
        for moment in moments {
            if deck.isEmpty { deck = Self.victims(on: testbed.settings.store).shuffled(using: &chance) }
            guard let victim = deck.popLast() else { return }
            guard try await Self.pass(moment, of: deliveries, in: testbed) else { return }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...50, using: &chance)))
            try await kill(
                victim, at: Int.random(in: 0..<Self.children, using: &chance), in: testbed, &report)
            say("kill \(report.kills.count) after \(moment) messages: \(victim.rawValue)")
        }
    }

    /// Waits until the given number of messages has ended.
    /// - Returns: Whether there are messages that have not ended.
    private static func pass(_ moment: Int, of deliveries: [Int], in testbed: Testbed) async throws -> Bool {
        var last = ""
        return try await Waiting.until("\(moment) messages to end", seen: { last }) {
            var reports: [DeliveryReport] = []
            for delivery in deliveries { reports.append(try await testbed.sound(delivery)) }
            last = reports.map(\.summary).joined(separator: "; ")
            if reports.allSatisfy(\.isOver) { return false }
            return reports.reduce(0) { $0 + $1.counts.sent + $1.counts.failed } >= moment ? true : nil
        }
    }

    /// Kills a victim. Before that, stops the affected children with SIGSTOP. They send nothing more, and the
    /// master still reads their earlier reports. The messages that the master then reports as unrecorded are
    /// therefore exactly the messages that the kill may affect.
    private func kill(
        _ victim: Victim, at place: Int, in testbed: Testbed, _ report: inout ChaosReport
    ) async throws {
        report.kills.append(victim)
        if victim == .database {
            // An engine process that is waiting for an answer from the database server never receives that
            // answer. The process must not end for this reason.
            try testbed.databaseServer?.restart(.immediate)
            return
        }
        let children =
            try await testbed.status().master?.children.sorted { $0.generation < $1.generation } ?? []
        let child = children.isEmpty ? nil : children[place % children.count]
        for present in children where victim != .child || present.pid == child?.pid {
            testbed.stop(child: present.pid)
        }
        let master = try await testbed.status().master
        if victim == .child {
            report.unrecorded += master?.children.first { $0.pid == child?.pid }?.outstanding ?? 0
        } else {
            // The number also covers each child that started after the list of children was read and that was
            // therefore not stopped. Such a child counts with its whole capacity.
            report.unrecorded += master?.unrecorded ?? 0
            let spawned = master?.children.count { child in !children.contains { $0.pid == child.pid } } ?? 0
            report.unrecorded += spawned * (Self.capacity + Self.unconfirmed)
        }
        if victim != .master, let child { testbed.kill(child: child.pid) }
        guard victim != .child else { return }
        let orphan = try await testbed.killMaster()
        report.longestOrphan = max(report.longestOrphan, orphan)
        try await testbed.startEngine()
    }
}

/// The result of a run of ``ChaosScenario``, and the conditions that it must meet.
package struct ChaosReport: Sendable {
    package let scenario: ChaosScenario
    package var kills: [ChaosScenario.Victim] = []
    /// The number of messages that the engine itself reported as unrecorded just before each kill, when the
    /// affected children were stopped.
    package var unrecorded = 0
    package var longestOrphan: Duration = .zero
    package var chapters: [DeliveryComparison] = []
    /// The number of requests that do not belong to a delivery. Requests that FCM did not read are not
    /// counted.
    package var strays = 0
    package var summary = GatewaySummary()

    package init(_ scenario: ChaosScenario) { self.scenario = scenario }

    // MARK: Judgement

    package var findings: [Finding] {
        let dead = Set(Testbed.Platform.allCases.flatMap(scenario.dead(of:)))
        let all = scenario.devices * Testbed.Platform.allCases.count
        let limit = scenario.orphanLimit.inSeconds.fixed(0)
        let missing = missingFaults
        return chapters.flatMap { $0.findings(of: all, dead: dead) } + [
            chapters.duplicates("messages unrecorded at the kills", unrecorded: unrecorded),
            .protocolKept(strays: strays, summary),
            Finding(
                "every kill was carried out, and no child outlived its master by \(limit) s",
                kills.count == scenario.kills && longestOrphan <= scenario.orphanLimit,
                "\(kills.count) of \(scenario.kills) kills, maximum \(longestOrphan.inSeconds.fixed(3)) s"
            ),
            Finding(
                "every fault happened", missing.isEmpty || scenario.allowsMissingFaults,
                missing.isEmpty ? faults : "\(faults); never: \(missing.joined(separator: ", "))"),
        ]
    }

    // MARK: Faults

    private var gateways: [(name: String, summary: GatewaySummary)] {
        [("apns", summary), ("fcm", summary.fcm), ("binary", summary.binary)]
    }

    private static let connection = ["reset", "close", "half-open", "tls"]
    static let http = ["goaway", "goaway-graceful", "narrow", "refuse", "drip", "slow", "500"] + connection
    static let binaryAlone = ["shutdown", "processing-error", "garbage", "half-packet", "stranger"]
    /// The answers that the script causes.
    private static let answers = [
        "apns": ["TooManyRequests", "ServiceUnavailable", "Shutdown"],
        "fcm": ["QUOTA_EXCEEDED", "UNAVAILABLE"],
    ]

    /// The faults that never occurred, such as `fcm/reset`.
    package var missingFaults: [String] {
        gateways.flatMap { gateway in
            let faults = (gateway.name == "binary" ? Self.binaryAlone + Self.connection : Self.http)
                .filter { (gateway.summary.faults?[$0] ?? 0) == 0 }
            let answers = (Self.answers[gateway.name] ?? [])
                .filter { (gateway.summary.rejectedByReason[$0] ?? 0) == 0 }
            return (faults + answers).map { "\(gateway.name)/\($0)" }
        }
    }

    private var faults: String {
        gateways.map { gateway in
            let faults = (gateway.summary.faults ?? [:]).sorted { $0.key < $1.key }
            return "\(gateway.name) \(faults.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
