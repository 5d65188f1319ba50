internal import FoundationEssentials
internal import Glibc

/// One run of a ``FleetScenario``: its devices, its operator and its kills, in one loop on the caller's
/// thread.
///
/// **Promises.** Every request is repeated until its answer is 200 or, for an operator's call, the expected
/// answer. The expected state of a device changes only with that answer. **Failures.** ``LoadError`` if an
/// answer cannot be explained, or if there is no answer of any kind for a long time.
final class FleetRun {
    enum WorkItem {
        case register(device: Int, step: Int)
        case report(message: Int, step: Int)
        /// The `received` report once more, because the notification arrived again.
        case receivedAgain(message: Int)
        case call(Call)
    }

    /// A notification that has arrived.
    struct Message {
        let device: Int
        let chapter: FleetDevice.DeliveryRun
        let delivery: Int
        let id: String
        var arrivals = 1
        var isReceived = false
        var isClicked = false
    }

    /// A request from an operator's program.
    final class Call {
        let request: LoadRequest
        /// Whether the request may be repeated if there was no answer.
        let isRepeatable: Bool
        var reply: HTTPReply?
        var name: String { "\(request.method) \(request.path)" }

        init(_ request: LoadRequest, isRepeatable: Bool) {
            (self.request, self.isRepeatable) = (request, isRepeatable)
        }
    }

    let scenario: FleetScenario
    let testbed: Testbed
    var report: FleetReport
    var pump: RequestPump<WorkItem>
    private(set) var messages: [Message] = []
    /// The positions of messages, keyed by `delivery/id`.
    private var places: [String: Int] = [:]
    private var devices: [String: Int] = [:]
    private var tails: [GatewayTail] = []
    /// The delivery to all devices.
    var delivery: Int?

    private let clock = ContinuousClock()
    private var nextLook: ContinuousClock.Instant
    var moments: [FleetScenario.Phase: [Int]] = [:]

    private let say: (String) -> Void

    init(_ scenario: FleetScenario, in testbed: Testbed, say: @escaping (String) -> Void) {
        (self.scenario, self.testbed, self.say) = (scenario, testbed, say)
        report = FleetReport(scenario)
        pump = RequestPump(port: testbed.ports.web, connections: scenario.connections)
        nextLook = clock.now
        for index in 0..<scenario.devices {
            for registration in scenario.device(index).registrations { devices[registration.token] = index }
        }
        tails = (testbed.gatewayLogs + testbed.fcmLogs).map { GatewayTail($0) }
    }

    // MARK: The loop

    /// Runs the devices, the operator and the kills until a condition is met.
    func drive(_ what: String, seen: () -> String = { "" }, until isSo: () throws -> Bool) async throws {
        var last = clock.now
        while try !isSo() {
            try Interruption.check()
            let before = report.arrivals
            let ended = pump.turn { request(of: $0) }
            for end in ended { try settle(end) }
            try killIfDue()
            if clock.now >= nextLook {
                nextLook = clock.now + .milliseconds(20)
                try lookAround()
            }
            if ended.contains(where: { $0.reply != nil }) || report.arrivals > before {
                last = clock.now
                await Task.yield()
                continue
            }
            guard clock.now < last + Waiting.patience else {
                throw LoadError.timedOut(what, after: Waiting.patience, last: seen())
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    private func lookAround() throws {
        if let engine = testbed.engine { try engine.requireRunning() }
        try readNotifications()
        guard let sink = testbed.sink, ProcessTable.isStopped(sink.processID) else { return }
        // The sink stops itself whenever one of its two gateways has accepted one of the numbers of messages
        // in `moments`. Each stop causes one kill. Once all kills have been carried out, further stops have
        // no effect.
        if let moment = moments[.sending]?.first { try kill(.sending, "\(moment) messages of a gateway") }
        sink.signal(SIGCONT)
    }

    private func request(of workItem: WorkItem) -> LoadRequest {
        switch workItem {
        case .register(let index, let step): return scenario.device(index).form(step).request
        case .report(let place, let step):
            let message = messages[place]
            return hit(message, scenario.device(message.device).reports(message.chapter)[step])
        case .receivedAgain(let place): return hit(messages[place], .received)
        case .call(let call): return call.request
        }
    }

    private func hit(_ message: Message, _ report: FleetDevice.Report) -> LoadRequest {
        let device = scenario.device(message.device)
        let query = device.query(report, id: message.id, delivery: message.delivery)
        return LoadRequest("GET", "/r/", query: query)
    }

    // MARK: Answers

    private func settle(_ end: RequestPump<WorkItem>.Ended) throws {
        let workItem = end.workItem
        if case .call(let call) = workItem { return try settle(call, end.reply) }
        guard let reply = end.reply else {
            report.lost += 1
            return pump.addLater(workItem)
        }
        switch reply.status {
        case 200: settle(workItem, isOfThisLife: end.life == pump.life)
        case 503, 500:
            report.refused[reply.status, default: 0] += 1
            pump.addLater(workItem)
        default: throw Self.unexpected(reply, to: "\(workItem)")
        }
    }

    private static func unexpected(_ reply: HTTPReply, to what: String) -> LoadError {
        let said = String(decoding: reply.body.prefix(500), as: UTF8.self)
        return LoadError("\(what) was answered with \(reply.status): \(said)")
    }

    private func settle(_ workItem: WorkItem, isOfThisLife: Bool) {
        switch workItem {
        case .register(let index, let step):
            report.registering.note(at: clock.now)
            if step + 1 < scenario.device(index).registrations.count {
                pump.add(.register(device: index, step: step + 1))
            }
        case .report(let place, let step):
            let message = messages[place]
            let all = scenario.device(message.device).reports(message.chapter)
            note(all[step], of: place, isOfThisLife)
            if step + 1 < all.count { pump.add(.report(message: place, step: step + 1)) }
        case .receivedAgain(let place): note(.received, of: place, isOfThisLife)
        case .call: return
        }
    }

    private func note(_ said: FleetDevice.Report, of place: Int, _ isOfThisLife: Bool) {
        report.reporting.note(at: clock.now)
        let end: WritableKeyPath<FleetReport.Reports, Int> =
            switch said {
            case .received: messages[place].isReceived || messages[place].isClicked ? \.repeated : \.first
            case .clicked: messages[place].isClicked ? \.repeated : \.first
            case .forged(let forgery): forgery.isMalformed ? \.malformed : \.unknown
            }
        report.reports[keyPath: end] += 1
        if isOfThisLife { report.reportsOfThisLife[keyPath: end] += 1 }
        if said == .received { messages[place].isReceived = true }
        if said == .clicked { messages[place].isClicked = true }
    }

    private func settle(_ call: Call, _ reply: HTTPReply?) throws {
        if let reply, (200..<300).contains(reply.status) {
            call.reply = reply
            return
        }
        if let reply, reply.status != 500, reply.status != 503 { throw Self.unexpected(reply, to: call.name) }
        guard call.isRepeatable else { throw LoadError("\(call.name) received an unexpected answer") }
        pump.addLater(.call(call))
    }

    // MARK: Kills

    private func killIfDue() throws {
        let counts = [
            (FleetScenario.Phase.registering, report.registering.count, "registrations"),
            (.reporting, report.reporting.count, "reports"),
        ]
        for (phase, count, name) in counts where moments[phase]?.first.map({ $0 <= count }) ?? false {
            try kill(phase, "\(count) \(name)")
        }
    }

    /// Kills the master and starts a new one immediately. Devices try again until it answers.
    private func kill(_ phase: FleetScenario.Phase, _ moment: String) throws {
        moments[phase]?.removeFirst()
        testbed.engine?.killAndReap()
        try testbed.launchEngine()
        report.kills += 1
        pump.life += 1
        report.reportsOfThisLife = FleetReport.Reports()
        say("kill \(report.kills) after \(moment)")
    }

    // MARK: Notifications

    /// Passes to the devices the notifications that the gateways have accepted since the last call.
    func readNotifications() throws {
        for index in tails.indices {
            for request in try tails[index].next() { try arrive(request) }
        }
    }

    private func arrive(_ request: GatewayRequest) throws {
        guard let index = devices[request.token] else {
            report.misdirected += request.isUnread ? 0 : 1
            return
        }
        let device = scenario.device(index)
        if request.token != device.token {
            report.toLeftTokens[device.app, default: []].insert(request.token)
        }
        guard request.ending == .accepted else { return }
        let body = Array(request.body.utf8)
        guard let id = Self.text(of: "_mId", in: body),
            let delivery = Self.text(of: "_dId", in: body).flatMap({ Int($0) })
        else { throw LoadError("a notification lacks _mId or _dId: \(request.body.prefix(300))") }
        report.arrivals += 1
        report.sending.note(at: clock.now)
        if let place = places["\(delivery)/\(id)"] {
            messages[place].arrivals += 1
            if messages[place].device != index { report.misdirected += 1 }
            let reports = device.reports(messages[place].chapter)
            if reports.contains(.received) { pump.add(.receivedAgain(message: place)) }
            return
        }
        let chapter: FleetDevice.DeliveryRun = delivery == self.delivery ? .delivery : .singleMessages
        let place = messages.count
        messages.append(Message(device: index, chapter: chapter, delivery: delivery, id: id))
        places["\(delivery)/\(id)"] = place
        if !device.reports(chapter).isEmpty { pump.add(.report(message: place, step: 0)) }
    }

    /// Returns the text member with this name, wherever it is in the body.
    static func text(of name: String, in body: [UInt8]) -> String? {
        guard let start = body.firstRange(of: Array("\"\(name)\":\"".utf8))?.upperBound,
            let end = body[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: body[start..<end], as: UTF8.self)
    }
}
