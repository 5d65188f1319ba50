/// What the API shows in the end, beside what the devices know.
extension FleetRun {
    func compare() async throws {
        report.service = try await ask(
            "GET", "/services/\(Testbed.service)/statistics", until: "old tokens to be in quarantine"
        ) { (service: ServiceReport) in
            service.apps.reduce(0) { $0 + $1.valid } == scenario.devices
        }
        try await compareReports()
        for chapter in FleetDevice.Chapter.allCases {
            for delivery in Set(messages.filter { $0.chapter == chapter }.map(\.delivery)).sorted() {
                report.chapters.append(try await self.chapter(chapter, of: delivery))
            }
        }
        try await compareSingleMessages()
        var registered: [String: [String: FleetDevice.Registration]] = [:]
        for index in 0..<scenario.devices {
            let device = scenario.device(index)
            for subscription in device.subscriptions {
                registered[FleetScenario.app(isAndroid: device.isAndroid), default: [:]][subscription.token] =
                    subscription
            }
        }
        for (app, devices) in registered {
            report.registry.compare(devices, with: try await testbed.subscribers(of: app))
        }
        try await lookUp(registered.values.flatMap(\.values))
    }

    private func compareSingleMessages() async throws {
        let uuidLength = 36
        report.arrivedIDs = Set(
            messages.filter { $0.chapter == .singleMessages && $0.id.utf8.count == uuidLength }.map(\.id))
        struct Answer: Decodable { var state: String }
        let tickets = report.answeredIDs.map { ($0, call("GET", "/messages/\($0)")) }
        try await drive("messages to be looked up") { tickets.allSatisfy { calls[$0.1].reply != nil } }
        for (id, ticket) in tickets {
            let answer: Answer = try decode(calls[ticket])
            if answer.state == "sent" { report.sentIDs.insert(id) }
        }
    }

    /// The gateways' logs are whole now.
    func closeTheBooks() throws {
        try readNotifications()
        report.summary = try testbed.gatewaySummary()
        for index in report.chapters.indices {
            let delivery = report.chapters[index].shown.id
            report.chapters[index].doubled = messages.reduce(0) {
                $0 + ($1.delivery == delivery ? $1.arrivals - 1 : 0)
            }
        }
    }

    /// Until nobody has reported meanwhile: a notification may come once more, and late.
    private func compareReports() async throws {
        repeat {
            report.reportsCompared = report.reportsOfThisLife
            report.countedReports = try await countedReports()
            try await drive("devices to report") { isIdle }
        } while report.reportsCompared != report.reportsOfThisLife
    }

    private func countedReports() async throws -> FleetReport.Reports {
        let page = try await metrics()
        func count(_ result: String) -> Int {
            MetricFigure.value(of: #"pushmta_hits_total{result="\#(result)"}"#, on: page).map { Int($0) } ?? 0
        }
        var reports = FleetReport.Reports()
        (reports.first, reports.repeated) = (count("first"), count("repeated"))
        (reports.unknown, reports.malformed) = (count("unknown"), count("malformed"))
        return reports
    }

    private func chapter(_ chapter: FleetDevice.Chapter, of delivery: Int) async throws -> FleetReport.Chapter
    {
        let shown: StatisticsReport = try await ask("GET", "/deliveries/\(delivery)/statistics?devices=true")
        let name = chapter == .delivery ? "delivery \(delivery)" : "single messages, delivery \(delivery)"
        var result = FleetReport.Chapter(name: name, shown: shown)
        for app in FleetScenario.apps {
            var funnel = StatisticsReport.AppCounts(app: app)
            if chapter == .delivery { funnel.failed = scenario.left(in: app) }
            result.known[app] = funnel
        }
        for message in messages where message.delivery == delivery {
            let device = scenario.device(message.device)
            result.kinds[device.kind, default: 0] += 1
            let app = FleetScenario.app(isAndroid: device.isAndroid)
            result.known[app]?.sent += 1
            if message.isReceived || message.isClicked { result.known[app]?.received += 1 }
            if message.isClicked { result.known[app]?.clicked += 1 }
        }
        return result
    }

    // MARK: The registry

    private struct Subscribers: Decodable {
        struct Row: Decodable { var registrationToken: String }
        var items: [Row]
    }

    /// Some of the persons.
    private func lookUp(_ all: [FleetDevice.Registration]) async throws {
        var tokens: [String: Set<String>] = [:]
        for registration in all where !registration.userKey.isEmpty {
            tokens[registration.userKey, default: []].insert(registration.token)
        }
        let keys = tokens.keys.sorted()
        for place in stride(from: 0, to: keys.count, by: max(keys.count / 40, 1)) {
            let key = keys[place]
            let found: Subscribers = try await ask(
                "GET", "/subscribers?userKey=\(DeviceForm.percentEncoded(key))")
            report.people.asked += 1
            if Set(found.items.map(\.registrationToken)) != tokens[key] { report.people.wrong += 1 }
        }
    }
}
