import Glibc
import Synchronization
import TestSupport
import Testing
import pushload

extension EndToEnd.Metrics {
    /// Metrics that do not change in the test below, with the reason.
    private static let still = [
        "pushmta_build_info": "one build runs",
        "pushmta_master_state": "WebTests: none without a master, running with one",
        "pushmta_master_silent_seconds": "StoreMetricsTests: the master's own answer to a scrape is fresh",
        "pushmta_deliveries_held": "StoreMetricsTests",
        "pushmta_web_certificate_left_seconds": "WebTLSTests",
        "pushmta_engine_faults_total": "EngineFaultTests: a defect of the program",
        "pushmta_hits_total": "DeviceRoutesTests",
        "pushmta_undeclared_parameter_registrations_total": "DeviceRoutesTests",
        "pushmta_store_look_failed": "StoreMetricsTests",
        "pushmta_hosts": "every metric of hosts moves, below",
        "pushmta_host_parts": "below",
        "pushmta_host_lease_age_seconds": "below",
        "pushmta_take_overs_total": "below",
        "pushmta_store_free_bytes": "it moves when messages are removed, and not on a server",
    ]

    @Test func `every metric changes`() async throws {
        try await withTestbedInAFile(Self.settings) { testbed in
            testbed.expectedComplaints = [
                "trying again every second", "is stalled", "before it did any work",
            ]
            try await testbed.createApp()
            try await testbed.createAndroidApp()
            try await testbed.createApp("with-certificate", credential: .certificate)
            let takes = Mutex(false)
            let receiver = try HTTPReceiver { _ in .status(takes.withLock(\.self) ? 200 : 503) }
            try await testbed.succeed(["webhook", "create", "crm", "--url", receiver.url])
            try await testbed.startEngine()
            var watch = MetricWatch(try await testbed.webAddress())
            try watch.look()

            try await testbed.importSubscribers(SyntheticSubscribers(6_000))
            try await testbed.importSubscribers(SyntheticSubscribers(200), into: Testbed.androidApp)
            let ios = try await testbed.submit()
            let android = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            // The gateway requests retries, refuses the account once, and answers slowly. Each condition is
            // true on some page, but not all on the same page: messages in flight are answered soon after the
            // account starts to wait.
            try await watch.until(
                "messages to be in flight, some to be retried, and an account to wait",
                { ($0.largest("pushmta_children_in_flight_messages") ?? 0) > 0 },
                { $0.sum("pushmta_queue_messages", holding: #"state="retrying""#) > 0 },
                { $0.sum("pushmta_account_state", holding: #"state="waiting""#) > 0 })
            let idle = try PlainHTTP.connect(to: watch.address)
            try await watch.until("another connection") {
                ($0.largest("pushmta_web_connections") ?? 0) > 1
            }
            close(idle)
            let child = try #require(try await testbed.status().master?.children.first)
            testbed.kill(child: child.pid)
            try await watch.until("another child") {
                ($0.largest("pushmta_children_started_total") ?? 0) >= 2
            }
            try await Self.blockStore(of: testbed, &watch)
            try await watch.until("everything to be answered") {
                $0.sum("pushmta_queue_messages", holding: "account") == 0
                    && $0.sum("pushmta_deliveries", holding: "state") == 0
            }
            for delivery in [ios, android] { try await testbed.settle(delivery) }
            try await watch.until("a receiver to lag") {
                ($0.largest("pushmta_webhook_behind_seconds") ?? 0) > 0
                    && $0.sum("pushmta_webhook_batches_total", holding: #"result="failed""#) > 0
            }
            takes.withLock { $0 = true }
            try await testbed.succeed(["webhook", "update", "crm", "--enable"])
            try await watch.until("events to be delivered") {
                $0.sum("pushmta_webhook_events_total", holding: #"result="told""#) > 0
            }
            try await testbed.succeed(["webhook", "update", "crm", "--disable"])
            try await watch.until("the receiver to be disabled") {
                $0.largest("pushmta_webhook_disabled") == 1
            }
            try await testbed.stopEngine()
            let first = try #require(watch.last)
            try await testbed.startEngine()
            watch.address = try await testbed.webAddress()
            // This second must differ from the second in which the first master started.
            #expect(try watch.look()["pushmta_start_time_seconds"] != first["pushmta_start_time_seconds"])

            let stillThere = watch.names.subtracting(watch.moved)
            #expect(stillThere.subtracting(Self.still.keys).isEmpty)
            #expect(Set(Self.still.keys).subtracting(watch.names).isEmpty)
            try await testbed.stopEngine()
        }
    }

    @Test(.enabled(if: DatabaseServer.isInstalled))
    func `every host metric changes`() async throws {
        // The gateway is slow enough for the page to show which child has which messages.
        var settings = KillScenario.settings(capacity: 250, delayMilliseconds: 500)
        settings.store = .postgresql
        settings.web = true
        settings.takeOverMilliseconds = 6_000
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(20_000))
            try await testbed.startEngine()
            var watch = MetricWatch(try await testbed.webAddress())
            try await watch.until("one host to lead") {
                $0.sum("pushmta_hosts", holding: "leading") == 1
                    && $0.sum("pushmta_hosts", holding: "state") == 1
            }
            let second = try testbed.launchHost(2)
            try await watch.until("another host to send") { $0.sum("pushmta_hosts", holding: "sending") == 1 }
            let delivery = try await testbed.submit()
            try await watch.until("it to have parts") { ($0.largest("pushmta_host_parts") ?? 0) > 0 }
            watch.address = try await testbed.webAddress(ofHost: 2)
            try await watch.until("the other to have parts too, by the first take-over") {
                ($0.largest("pushmta_host_parts") ?? 0) > 0 && $0.largest("pushmta_take_overs_total") == 1
            }
            _ = try await testbed.killMaster()
            try await watch.until("the other to lead, and the first to be lost") {
                $0.largest("pushmta_take_overs_total") == 2 && $0.sum("pushmta_hosts", holding: "lost") == 1
            }
            let names = Set(["hosts", "host_parts", "host_lease_age_seconds", "take_overs_total"])
            #expect(watch.moved.isSuperset(of: names.map { "pushmta_\($0)" }), "\(watch.moved)")
            try await testbed.settle(delivery)
            second.process.signal(SIGTERM)
            #expect(try await second.process.end().status == 0)
        }
    }

    private static var settings: TestbedSettings {
        var settings = KillScenario.settings(delayMilliseconds: 200)
        settings.web = true
        settings.childrenAtStart = 1
        settings.parallelRequests = 50
        settings.messagesPerMinute = 60_000
        settings.rampUpSeconds = 20
        settings.retry = TestbedSettings.Retry(count: 50, period: "1s", minimumDelays: false)
        settings.gateway.fcm = TestbedSettings.Gateway.FCM()
        settings.gateway.rules = """
            * status 503 ServiceUnavailable every 20 times 100
            * status 429 TooManyRequests every 31 times 30
            * status 400 BadMessageId every 77 times 20
            * status 403 InvalidProviderToken every 2500 times 1

            """
        return settings
    }

    /// Blocks all writes until the page has reported the trouble.
    private static func blockStore(of testbed: Testbed, _ watch: inout MetricWatch) async throws {
        let lock = try StoreWriteLock(testbed.folder.file("var/pushmta.db"))
        defer { lock.release() }
        try await watch.until("the store's trouble to be reported") {
            $0.sum("pushmta_alarms", holding: #"kind="store""#) > 0
                && ($0.largest("pushmta_store_failures_total") ?? 0) > 0
                && $0.sum("pushmta_store_waiting_units", holding: "class") > 0
        }
    }
}

/// Successive pages, and the metrics that differed between them.
struct MetricWatch {
    var address: String
    private(set) var last: Scrape?
    private(set) var names: Set<String> = []
    private(set) var moved: Set<String> = []
    private var before: [String: [String: Double]] = [:]

    init(_ address: String) { self.address = address }

    @discardableResult
    mutating func look() throws -> Scrape {
        let scrape = try Scrape(of: address)
        for name in scrape.names {
            let samples = scrape.samples(of: name)
            if let before = before[name], before != samples { moved.insert(name) }
            before[name] = samples
            names.insert(name)
        }
        last = scrape
        return scrape
    }

    /// Fetches pages until each of these conditions has been true on some page.
    mutating func until(_ what: String, _ each: (Scrape) -> Bool...) async throws {
        let end = ContinuousClock.now + Waiting.patience
        var left = each
        while true {
            let page = try look()
            left.removeAll { $0(page) }
            if left.isEmpty { return }
            guard ContinuousClock.now < end else { throw Patience.Exhausted("never happened: \(what)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension Scrape {
    func largest(_ name: String) -> Double? { samples(of: name).values.max() }

    /// Returns the sum of the samples whose labels contain this text.
    func sum(_ name: String, holding label: String) -> Double {
        samples(of: name).filter { $0.key.contains(label) }.values.reduce(0, +)
    }
}

extension Testbed {
    /// Returns the host and port of a web module, which listens without TLS.
    /// - Parameter host: The number of a further host; `nil` for the testbed's own engine.
    func webAddress(ofHost host: Int? = nil) async throws -> String {
        let url = try await Waiting.until("the web module to listen") {
            let report = if let host { try await status(ofHost: host) } else { try await status() }
            return report.master?.web
        }
        return String(try #require(url.wholeMatch(of: /http:\/\/(.+)/)?.1))
    }
}
