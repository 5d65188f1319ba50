/// One scenario of a report, on its own testbed.
///
/// One task does all of the work: it submits deliveries that are due, reads the engine's delivery logs,
/// samples processes, and requests the number of messages in flight from the engine's metrics page. None of
/// these actions blocks, so arrivals keep to their schedule.
final class ReportRun {
    enum WorkItem: Sendable {
        /// Submits the delivery with this number. Numbers begin with 0.
        case submit(Int)
        case registration(Int)
        /// Checks whether a delivery has ended.
        case look(Int)
        /// Reads the final counts of a delivery.
        case count(Int)
        case metrics
    }

    let document: ScenarioDocument
    let testbed: Testbed
    let show: (Double) -> Void
    var report: ScenarioReport
    var book = DeliveryBook()
    var plan: ArrivalPlan
    var pump: RequestPump<WorkItem>
    /// The final counts of the deliveries, keyed by number.
    var counts: [Int: DeliveryReport.Counts] = [:]
    /// The times at which deliveries and registrations were due, indexed by number, in milliseconds since
    /// 1970.
    var dueDeliveries: [Int] = []
    var dueRegistrations: [Int] = []
    var answeredRegistrations = 0
    var accepted = 0
    /// The unexpected answers to registrations and deliveries, and how often each occurred.
    var refused: [String: Int] = [:]
    private(set) var apps: [String] = []

    // The clocks of the run.
    let clock = ContinuousClock()
    var begin = ContinuousClock.now
    /// The beginning of the run, in milliseconds since 1970.
    var beginMilliseconds = 0
    var lastLine = ContinuousClock.now
    var wasRestarted = false

    // The observations of the run.
    var sample = Sample(from: 0, to: 0)
    var sampler = ProcessSampler()
    var tails: [AttemptTail] = []
    /// The number of messages in flight on each host, as last reported on its metrics page.
    var inFlight: [Int] = []
    var storeBytes = 0
    /// The processes of all hosts except the first.
    var otherHosts: [RunningProcess] = []
    var otherPumps: [RequestPump<WorkItem>] = []

    static let connections = 32

    init(_ document: ScenarioDocument, in testbed: Testbed, show: @escaping (Double) -> Void) {
        (self.document, self.testbed, self.show) = (document, testbed, show)
        report = ScenarioReport(document)
        plan = ArrivalPlan(document.loop, count: document.deliveries)
        pump = RequestPump(port: testbed.ports.web, connections: Self.connections)
    }

    /// Returns the settings of the testbed.
    static func settings(_ document: ScenarioDocument, external: ExternalGateway?) -> TestbedSettings {
        TestbedSettings(store: document.isOnPostgreSQL ? .postgresql : .sqlite) {
            $0.web = true
            $0.keepsWebPort = true
            $0.deliveryLog = "attempts.log"
            $0.retry = .eachSecond
            $0.parallelRequests = min(document.gateway.streams, 1_000)
            $0.gateway.keepsLog = false
            $0.gateway.isFast = true
            $0.gateway.streams = document.gateway.streams
            $0.gateway.delayMilliseconds = document.gateway.delayMilliseconds
            $0.gateway.rules = rules(of: document.gateway, isAndroid: false)
            $0.gateway.external = external
            $0.gateway.providerKeys = document.accounts
            guard document.isAndroid else { return }
            $0.gateway.fcm = .init(
                streams: document.gateway.streams, delayMilliseconds: document.gateway.delayMilliseconds,
                rules: rules(of: document.gateway, isAndroid: true))
        }
    }

    private static func rules(of gateway: ScenarioDocument.Gateway, isAndroid: Bool) -> String {
        let faults = [
            (gateway.deadPercent, isAndroid ? "fcm UNREGISTERED" : "status 410 Unregistered"),
            (gateway.refusedPercent, isAndroid ? "rpc 400 INVALID_ARGUMENT" : "status 400 BadCollapseId"),
            (gateway.unavailablePercent, isAndroid ? "fcm UNAVAILABLE" : "status 503 ServiceUnavailable"),
        ]
        // Each rule applies only to the requests that no earlier rule matched.
        var left = 1_000
        return faults.reduce(into: "") { rules, fault in
            let share = Int((fault.0 * 10).rounded())
            guard share > 0 else { return }
            rules += "* \(fault.1) share \(share) of \(left)\n"
            left -= share
        }
    }

    // MARK: Running

    func run() async throws -> ScenarioReport {
        try await prepare()
        try await drive()
        try await takeCounts()
        for host in otherHosts { try await host.endByRequest() }
        try await testbed.stopEngine()
        if testbed.settings.gateway.external == nil { try await testbed.stopGateway() }
        report.sent = counts.values.sum(of: \.sent)
        report.failed = counts.values.sum(of: \.failed)
        if book.missingLines > 0 || book.ended < report.ended {
            report.remarks.append(
                "the latency of \(max(book.missingLines, report.ended - book.ended)) messages is unknown: "
                    + "their lines in the delivery log are missing")
        }
        for (what, count) in refused.sorted(by: { $0.key < $1.key }) {
            report.remarks.append("\(what): \(count) times")
        }
        return report
    }

    private func prepare() async throws {
        try await testbed.createService()
        for number in 1...document.accounts {
            let name =
                number == 1 ? (document.isAndroid ? Testbed.androidApp : Testbed.app) : "account-\(number)"
            if number > 1 {
                try await testbed.createApp(name, providerKey: number)
            } else {
                try await testbed.createApp(for: document.isAndroid ? .android : .ios)
            }
            var subscribers = SyntheticSubscribers(
                document.recipients, seed: UInt64(document.seed) &* 1_009 &+ UInt64(number),
                isAndroid: document.isAndroid)
            subscribers.hasParameters = document.isPersonal
            try await testbed.importSubscribers(subscribers, into: name)
            apps.append(name)
        }
        try testbed.databaseServer?.query("VACUUM ANALYZE", in: Testbed.database)
        try await testbed.startEngine()
        for number in 1...document.hosts {
            if number > 1 { otherHosts.append(try testbed.launchHost(number).process) }
            tails.append(AttemptTail(testbed.folder.file(testbed.deliveryLog(ofHost: number))))
        }
        if document.hosts > 1 {
            try await testbed.waitForHosts(document.hosts)
            for number in 2...document.hosts {
                let place = try await testbed.status(ofHost: number).master?.web ?? ""
                let port = Int(place.split { !$0.isNumber }.last ?? "") ?? 0
                otherPumps.append(RequestPump(port: port, connections: 1))
            }
        }
        inFlight = Array(repeating: 0, count: document.hosts)
    }

    /// Returns the document of the delivery, or part of a delivery, with this number. The document targets
    /// all subscribers of the apps that it names.
    func deliveryJSON(_ number: Int) -> String {
        var text = DeliveryText(apps: Array(apps[document.accounts(ofPart: number)]))
        text.label = "Synthetic \(number + 1)"
        if document.isPersonal { text.content = BenchScenario.personalContent }
        return text.json
    }
}
