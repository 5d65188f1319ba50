/// What happens, in order.
extension FleetRun {
    /// Devices come one by one; what each does after its first registration, it does when all have come.
    func register() async throws {
        var count = 0
        for index in 0..<scenario.devices {
            count += scenario.device(index).registrations.count
            add(.register(device: index, step: 0))
        }
        moments[.registering] = scenario.moments(of: .registering, in: count)
        report.registering.begin()
        try await drive("devices to register", seen: { "\(self.report.registering.count) of \(count)" }) {
            isIdle
        }
    }

    /// One delivery to everybody and, while it is sent, single messages to some; until all have arrived.
    func send() async throws {
        let document = DeliveryText(apps: FleetScenario.apps).json
        report.sending.begin()
        report.reporting.begin()
        // Nothing is killed meanwhile: a delivery has no key by which it could be submitted twice.
        let submitted: Submitted = try await ask("POST", "/deliveries", body: document, isRepeatable: false)
        delivery = submitted.id
        moments[.sending] = scenario.moments(of: .sending, in: scenario.devices / 2)
        let all = (0..<scenario.devices).reduce(0) {
            $0 + scenario.device($1).reports(.delivery).count
        }
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
                let app = FleetScenario.app(isAndroid: device.isAndroid)
                let content = #"{"title": "Your code", "body": "Number \#(index % 3)"}"#
                return #"{"app": "\#(app)", "token": "\#(device.token)", "content": \#(content)}"#
            }
            return "[\(items.joined(separator: ", "))]"
        }
        var open = Array(batches.indices)
        while !open.isEmpty {
            let tickets = open.map {
                call("POST", "/messages", body: batches[$0], headers: [("Idempotency-Key", "batch \($0)")])
            }
            try await drive("single messages to be answered") {
                tickets.allSatisfy { calls[$0].reply != nil }
            }
            var again: [Int] = []
            for (batch, ticket) in zip(open, tickets) where try !takeAnswer(of: ticket) {
                again.append(batch)
            }
            open = again
        }
    }

    /// - Returns: whether all of its messages were accepted; those that were not may be asked for again.
    private func takeAnswer(of ticket: Int) throws -> Bool {
        var isWhole = true
        let answer: SentMessages = try decode(calls[ticket])
        for item in answer.items {
            switch item.fault {
            case nil: report.answeredIDs.formUnion(item.devices.map(\.id))
            case "busy", "failed", "unknown": isWhole = false
            case let fault?: throw LoadError(.wrong("a single message was not accepted: \(fault)"))
            }
        }
        return isWhole
    }

    /// What devices still have to say, and the gateways' last answers.
    func finishReporting() async throws {
        try await drive("devices to report") { isIdle }
        guard let delivery else { return }
        let ids = [delivery] + Set(messages.map(\.delivery)).subtracting([delivery]).sorted()
        for id in ids {
            let _: StatisticsReport = try await ask(
                "GET", "/deliveries/\(id)/statistics", until: "delivery \(id) to have no message left"
            ) { $0.counts.pending + $0.counts.retrying == 0 }
        }
        try await drive("devices to report") { isIdle }
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

    /// - Returns: its place in ``calls``.
    func call(
        _ method: String, _ path: String, body: String? = nil, headers: [(name: String, value: String)] = [],
        isRepeatable: Bool = true
    ) -> Int {
        let request = HTTPRequest.call(
            method, path, token: testbed.apiToken, headers: headers, body: body)
        return call(request, named: "\(method) \(path)", isRepeatable: isRepeatable)
    }

    private func call(_ request: HTTPRequest, named name: String, isRepeatable: Bool = true) -> Int {
        calls.append(Call(bytes: request.written(host: host), isRepeatable: isRepeatable, name: name))
        add(.call(calls.count - 1))
        return calls.count - 1
    }

    private func reply(to ticket: Int) async throws -> [UInt8] {
        try await drive("\(calls[ticket].name) to be answered") { calls[ticket].reply != nil }
        return calls[ticket].reply?.body ?? []
    }

    func metrics() async throws -> String {
        String(
            decoding: try await reply(to: call(HTTPRequest("GET", "/metrics"), named: "GET /metrics")),
            as: UTF8.self)
    }

    func ask<Value: Decodable>(
        _ method: String, _ path: String, body: String? = nil, isRepeatable: Bool = true
    ) async throws -> Value {
        let ticket = call(method, path, body: body, isRepeatable: isRepeatable)
        _ = try await reply(to: ticket)
        return try decode(calls[ticket])
    }

    /// Asks until the answer is as it should be, or patience ends: then with what it is.
    func ask<Value: Decodable>(
        _ method: String, _ path: String, until what: String, _ isSo: (Value) -> Bool
    ) async throws -> Value {
        let end = ContinuousClock.now + Waiting.patience
        while true {
            let value: Value = try await ask(method, path)
            guard !isSo(value), ContinuousClock.now < end else { return value }
            let next = ContinuousClock.now + Self.patienceBetweenCalls
            try await drive(what) { ContinuousClock.now >= next }
        }
    }

    func decode<Value: Decodable>(_ call: Call) throws -> Value {
        try Value(json: call.reply?.body ?? [], from: "the answer to \(call.name)")
    }
}
