/// The phases of a run, in order.
extension FleetRun {
    /// Registers the devices one after the other. When every device has registered once, the later
    /// registrations of the devices follow.
    func register() async throws {
        var count = 0
        for index in 0..<scenario.devices {
            count += scenario.device(index).registrations.count
            pump.add(.register(device: index, step: 0))
        }
        moments[.registering] = scenario.moments(of: .registering, in: count)
        report.registering.begin()
        try await drive("devices to register", seen: { "\(self.report.registering.count) of \(count)" }) {
            pump.isIdle
        }
    }

    /// Sends one delivery to all devices and, at the same time, single messages to some of them. Returns when
    /// all messages have arrived.
    func send() async throws {
        let document = DeliveryText(apps: FleetScenario.apps).json
        report.sending.begin()
        report.reporting.begin()
        // No process is killed during this request, because it has no idempotency key, so it could not be
        // repeated safely.
        let submitted: Submitted = try await ask("POST", "/deliveries", body: document, isRepeatable: false)
        delivery = submitted.id
        moments[.sending] = scenario.moments(of: .sending, in: scenario.devices / 2)
        let all = (0..<scenario.devices).reduce(0) { $0 + scenario.device($1).reports(.delivery).count }
        moments[.reporting] = scenario.moments(of: .reporting, in: all)
        let chosen = scenario.chosen
        try await sendSingleMessages(to: chosen)
        let expected = scenario.devices + chosen.count
        try await drive("messages to arrive", seen: { "\(self.messages.count) of \(expected)" }) {
            messages.count >= expected
        }
    }

    private func sendSingleMessages(to chosen: [Int]) async throws {
        let batches = stride(from: 0, to: chosen.count, by: 50).map { start in
            let items = chosen[start..<min(start + 50, chosen.count)].map { index in
                let device = scenario.device(index)
                let content = #"{"title": "Your code", "body": "Number \#(index % 3)"}"#
                return #"{"app": "\#(device.app)", "token": "\#(device.token)", "content": \#(content)}"#
            }
            return "[\(items.joined(separator: ", "))]"
        }
        var open = Array(batches.indices)
        while !open.isEmpty {
            let calls = open.map {
                call("POST", "/messages", body: batches[$0], headers: [("Idempotency-Key", "batch \($0)")])
            }
            try await drive("single messages to be answered") { calls.allSatisfy { $0.reply != nil } }
            open = try zip(open, calls).filter { try !takeAnswer(of: $1) }.map(\.0)
        }
    }

    /// - Returns: Whether all messages of the call were accepted. If not, the call may be repeated for the
    ///   messages that were not accepted.
    private func takeAnswer(of call: Call) throws -> Bool {
        var isWhole = true
        let answer: SentMessages = try decode(call)
        for item in answer.items {
            switch item.fault {
            case nil: report.answeredIDs.formUnion(item.devices.map(\.id))
            case "busy", "failed", "unknown": isWhole = false
            case let fault?: throw LoadError("the service did not accept a single message: \(fault)")
            }
        }
        return isWhole
    }

    /// Waits for the remaining reports from the devices and for the last answers from the gateways.
    func finishReporting() async throws {
        try await drive("devices to report") { pump.isIdle }
        guard let delivery else { return }
        let ids = [delivery] + Set(messages.map(\.delivery)).subtracting([delivery]).sorted()
        for id in ids {
            let _: StatisticsReport = try await ask(
                "GET", "/deliveries/\(id)/statistics", until: "delivery \(id) to have no message left"
            ) { $0.counts.pending + $0.counts.retrying == 0 }
        }
        try await drive("devices to report") { pump.isIdle }
    }

    // MARK: Calls

    private struct Submitted: Decodable { var id: Int }

    private struct SentMessages: Decodable {
        struct Device: Decodable { var id: String }
        struct Item: Decodable {
            var devices: [Device]
            var fault: String?
        }
        var items: [Item]
    }

    private func call(
        _ method: String, _ path: String, body: String? = nil, headers: [(name: String, value: String)] = [],
        isRepeatable: Bool = true
    ) -> Call {
        let request = LoadRequest.call(method, path, token: testbed.apiToken, headers: headers, body: body)
        let call = Call(request, isRepeatable: isRepeatable)
        pump.add(.call(call))
        return call
    }

    private func ask<Value: Decodable>(
        _ method: String, _ path: String, body: String? = nil, isRepeatable: Bool = true
    ) async throws -> Value {
        let call = call(method, path, body: body, isRepeatable: isRepeatable)
        try await drive("\(call.name) to be answered") { call.reply != nil }
        return try decode(call)
    }

    /// Repeats a request until its answer meets the condition or the maximum wait is over, and returns the
    /// last answer.
    private func ask<Value: Decodable>(
        _ method: String, _ path: String, until what: String, _ isSo: (Value) -> Bool
    ) async throws -> Value {
        let end = ContinuousClock.now + Waiting.patience
        while true {
            let value: Value = try await ask(method, path)
            guard !isSo(value), ContinuousClock.now < end else { return value }
            let next = ContinuousClock.now + Waiting.maxCommandInterval
            try await drive(what) { ContinuousClock.now >= next }
        }
    }

    private func decode<Value: Decodable>(_ call: Call) throws -> Value {
        try Value(json: call.reply?.body ?? [], from: "the answer to \(call.name)")
    }

    // MARK: Comparison of the API with the devices

    func compare() async throws {
        report.service = try await ask(
            "GET", "/services/\(Testbed.service)/statistics", until: "old tokens to be in quarantine"
        ) { (service: ServiceReport) in
            service.apps.sum(of: \.valid) == scenario.devices
        }
        try await compareReports()
        for chapter in FleetDevice.DeliveryRun.allCases {
            for delivery in Set(messages.filter { $0.chapter == chapter }.map(\.delivery)).sorted() {
                report.chapters.append(try await self.chapter(chapter, of: delivery))
            }
        }
        try await compareSingleMessages()
        var all: [FleetDevice.Registration] = []
        for app in FleetScenario.apps {
            let registered = scenario.devices(of: app).flatMap(\.subscriptions)
            report.registry.compare(registered, with: try await testbed.subscribers(of: app))
            all += registered
        }
        try await lookUp(all)
    }

    private func compareSingleMessages() async throws {
        let uuidLength = 36
        report.arrivedIDs = Set(
            messages.filter { $0.chapter == .singleMessages && $0.id.utf8.count == uuidLength }.map(\.id))
        struct Answer: Decodable { var state: String }
        let calls = report.answeredIDs.map { ($0, call("GET", "/messages/\($0)")) }
        try await drive("messages to be looked up") { calls.allSatisfy { $0.1.reply != nil } }
        for (id, call) in calls {
            let answer: Answer = try decode(call)
            if answer.state == "sent" { report.sentIDs.insert(id) }
        }
    }

    /// Completes the report. Must be called after the gateways have stopped, when their logs are complete.
    func finishReport() throws {
        try readNotifications()
        report.summary = try testbed.gatewaySummary()
        for index in report.chapters.indices {
            let delivery = report.chapters[index].shown.id
            report.chapters[index].doubled = messages.reduce(0) {
                $0 + ($1.delivery == delivery ? $1.arrivals - 1 : 0)
            }
        }
    }

    /// Compares the counts of reports, and starts again if a device sent a report during the comparison. Late
    /// or repeated notifications cause such reports.
    private func compareReports() async throws {
        repeat {
            report.reportsCompared = report.reportsOfThisLife
            report.countedReports = countedReports()
            try await drive("devices to report") { pump.isIdle }
        } while report.reportsCompared != report.reportsOfThisLife
    }

    private func countedReports() -> FleetReport.Reports {
        let page = MetricFigure.page(port: testbed.ports.web) ?? ""
        func count(_ result: String) -> Int {
            MetricFigure.value(of: #"pushmta_hits_total{result="\#(result)"}"#, on: page).map { Int($0) } ?? 0
        }
        return FleetReport.Reports(
            first: count("first"), repeated: count("repeated"), unknown: count("unknown"),
            malformed: count("malformed"))
    }

    private func chapter(_ chapter: FleetDevice.DeliveryRun, of delivery: Int) async throws
        -> FleetReport.DeliveryRun
    {
        let shown: StatisticsReport = try await ask("GET", "/deliveries/\(delivery)/statistics?devices=true")
        let name = (chapter == .delivery ? "" : "single messages, ") + "delivery \(delivery)"
        var result = FleetReport.DeliveryRun(name: name, shown: shown)
        for app in FleetScenario.apps {
            var funnel = StatisticsReport.AppCounts(app: app)
            if chapter == .delivery { funnel.failed = scenario.left(in: app) }
            result.known[app] = funnel
        }
        for message in messages where message.delivery == delivery {
            let device = scenario.device(message.device)
            result.kinds[device.kind, default: 0] += 1
            result.known[device.app]?.sent += 1
            if message.isReceived || message.isClicked { result.known[device.app]?.received += 1 }
            if message.isClicked { result.known[device.app]?.clicked += 1 }
        }
        return result
    }

    // MARK: The registry

    private struct Subscribers: Decodable {
        struct Row: Decodable { var token: String }
        var items: [Row]
    }

    /// Looks up some of the user keys.
    private func lookUp(_ all: [FleetDevice.Registration]) async throws {
        var tokens: [String: Set<String>] = [:]
        for registration in all where !registration.userKey.isEmpty {
            tokens[registration.userKey, default: []].insert(registration.token)
        }
        let keys = tokens.keys.sorted()
        for place in stride(from: 0, to: keys.count, by: max(keys.count / 40, 1)) {
            let key = keys[place]
            let query = "userKey=\(DeviceForm.percentEncoded(key))"
            let found: Subscribers = try await ask("GET", "/subscribers?\(query)")
            report.people.asked += 1
            if Set(found.items.map(\.token)) != tokens[key] { report.people.wrong += 1 }
        }
    }
}
