internal import Glibc

/// One run of a ``FuzzScenario``: all connections in one loop, on the caller's thread.
///
/// Well-framed requests are sent several at a time over persistent connections, and each gets one answer.
/// Each malformed request has its own connection. The sending side of this connection is usually closed after
/// the request, so that the server does not wait for more bytes. Some of these connections are left open, so
/// that only the server's time-outs end them.
final class FuzzRun {
    private final class Slot {
        let line = HTTPClient()
        let isTorn: Bool
        /// Whether this process leaves the slot's connections open until the server's time-outs close them.
        let isPatient: Bool
        var requests: [FuzzRequest] = []
        /// The number of answered requests on the slot's connection.
        var answered = 0
        var since = ContinuousClock.now
        /// The time at which the slot's connection last became idle.
        var restsSince: ContinuousClock.Instant?

        init(isTorn: Bool, isPatient: Bool) { (self.isTorn, self.isPatient) = (isTorn, isPatient) }

        func end(keepsLine: Bool = false) {
            if !keepsLine { line.hangUp() }
            (restsSince, requests, answered) = (ContinuousClock.now, [], 0)
        }
    }

    let corpus: FuzzCorpus
    var report: FuzzReport
    /// Hashes of the tokens in mutated forms that were answered with success.
    private(set) var tokens: Set<Int> = []
    let scenario: FuzzScenario
    let testbed: Testbed
    private let mutation: ByteMutation
    private let slots: [Slot]
    private var next = 0
    /// Requests to repeat, because their connection ended before the server reached them or because the
    /// service was busy.
    private var again: [FuzzRequest] = []
    private var torn: [FuzzRequest] = []
    private let clock = ContinuousClock()

    /// The maximum wait for an answer. The server may work on a request for 20 s, and it waits up to 20 s for
    /// its client. The server checks these limits once per second, and a busy machine takes longer.
    private static let patience: Duration = .seconds(90)
    private static let atOnce = 24
    /// The maximum idle time of a connection that is used again. The server closes a connection that is idle
    /// for 20 s.
    private static let maxRest: Duration = .seconds(5)
    private static let maxLeft = 40
    private static let maxFiles = 20

    init(_ scenario: FuzzScenario, _ corpus: FuzzCorpus, in testbed: Testbed) {
        (self.scenario, self.corpus, self.testbed) = (scenario, corpus, testbed)
        report = FuzzReport(wanted: scenario.requests)
        var chance = SplitMix64(seed: scenario.seed.number)
        mutation = ByteMutation(
            others: (0..<200).map { number in
                let kinds: [FuzzRequest.Kind] = [.registration, .report, .call]
                let message = FuzzRequest.base(kinds[number % 3], corpus, &chance)
                return message.body.isEmpty
                    ? Array("\(message.path)?\(message.query ?? "")".utf8) : message.body
            })
        let (connections, tornLines) = (scenario.connections, max(scenario.connections / 3, 1))
        slots = (0..<connections + tornLines + Self.maxLeft).map {
            Slot(isTorn: $0 >= connections, isPatient: $0 >= connections + tornLines)
        }
    }

    // MARK: The loop

    func run(say: (String) -> Void) throws {
        let begin = clock.now
        var told = begin
        let before = figures()
        guard let engine = testbed.engine else { throw LoadError("the engine was not started") }
        while true {
            try Interruption.check()
            for slot in slots where slot.requests.isEmpty { fill(slot) }
            let busy = slots.filter { !$0.requests.isEmpty }
            if busy.isEmpty { break }
            turn(busy)
            if report.early == nil, report.requests * 10 >= scenario.requests {
                report.early = figures()
                // Some of the files that are open at this point belong to connections that the server is
                // about to close.
                report.early?.openFiles = before?.openFiles ?? 0
            }
            if clock.now - told > .seconds(10) {
                told = clock.now
                let megabytes = ProcessFigures(of: engine.processID)?.residentMegabytes ?? 0
                let seconds = (told - begin).inSeconds.fixed(0)
                say("\(report.requests) requests after \(seconds) s, service \(megabytes.fixed(1)) MiB")
            }
            guard engine.isRunning else {
                report.hasEnded = true
                for request in slots.flatMap(\.requests) { keep(request, "ended") }
                break
            }
        }
        report.seconds = (clock.now - begin).inSeconds
        for slot in slots { slot.line.hangUp() }
    }

    func figures() -> FuzzReport.Figures? {
        guard let engine = testbed.engine, let figures = ProcessFigures(of: engine.processID) else {
            return nil
        }
        let files = Folder.names(in: "/proc/\(engine.processID)/fd").count
        // A leak can only be distinguished from the store's memory if that memory is known. With PostgreSQL,
        // this memory is not in the service's process.
        let held =
            testbed.settings.store == .postgresql
            ? 0 : MetricFigure.read("pushmta_store_memory_bytes", port: testbed.ports.web)
        guard let held else { return nil }
        return FuzzReport.Figures(
            requests: report.requests, residentMegabytes: figures.residentMegabytes,
            storeMegabytes: held / 1_048_576, openFiles: files - slots.count { $0.line.isOpen })
    }

    private func turn(_ busy: [Slot]) {
        var polled = busy.map { pollfd(fd: $0.line.descriptor, events: $0.line.interest, revents: 0) }
        guard unsafe poll(&polled, nfds_t(polled.count), 20) >= 0 else { return }
        let now = clock.now
        for (slot, polled) in zip(busy, polled) {
            let isLate = now - slot.since > Self.patience
            // Connections that wait for time-outs have no events for most of the run.
            guard polled.revents != 0 || isLate else { continue }
            let isOpen = slot.line.turn(polled.revents)
            slot.isTorn ? settleTorn(slot, isOpen) : settle(slot, isOpen)
            guard !slot.requests.isEmpty, isLate else { continue }
            report.hung += 1
            keep(slot.requests[min(slot.answered, slot.requests.count - 1)], "hung")
            slot.end()
        }
    }

    // MARK: Sending

    private func fill(_ slot: Slot) {
        if slot.isTorn { return fillTorn(slot) }
        while slot.requests.count < Self.atOnce, torn.count < 100, let request = take() {
            if request.kind == .torn { torn.append(request) } else { slot.requests.append(request) }
        }
        if !slot.requests.isEmpty { send(slot) }
    }

    private func fillTorn(_ slot: Slot) {
        // Slots that wait for time-outs are used in addition to the other slots. They get no new request in
        // the last tenth of the run.
        if slot.isPatient, !scenario.waitsForTimeouts || next > scenario.requests * 9 / 10 { return }
        guard let request = torn.popLast() else { return }
        slot.requests = [request]
        send(slot)
    }

    private func send(_ slot: Slot) {
        slot.since = clock.now
        if let rested = slot.restsSince, clock.now - rested > Self.maxRest { slot.line.hangUp() }
        for request in slot.requests { report.sent[request.kind.rawValue] += 1 }
        let bytes = slot.requests.flatMap(\.bytes)
        let endsSending = slot.isTorn && !slot.isPatient
        guard !slot.line.begin(bytes, port: testbed.ports.web, endsSending: endsSending) else { return }
        for request in slot.requests { askAgain(request) }
        slot.end()
    }

    private func take() -> FuzzRequest? {
        if let request = again.popLast() { return request }
        guard next < scenario.requests else { return nil }
        defer { next += 1 }
        return FuzzRequest(next, corpus, mutation)
    }

    /// Repeats a request. The repetition does not count as a sent request.
    private func askAgain(_ request: FuzzRequest) {
        report.sent[request.kind.rawValue] -= 1
        if request.kind == .torn { torn.append(request) } else { again.append(request) }
    }

    // MARK: Answers

    private func settle(_ slot: Slot, _ isOpen: Bool) {
        let requests = slot.requests
        while slot.answered < requests.count {
            let request = requests[slot.answered]
            guard let answer = slot.line.next(isHead: request.isHead) else { break }
            slot.answered += 1
            settle(request, answer)
            if answer.isLast {
                for request in requests[slot.answered...] { askAgain(request) }
                return slot.end()
            }
        }
        if slot.answered == requests.count { return slot.end(keepsLine: isOpen) }
        guard !isOpen else { return }
        // The server might not have read the requests after the request that has no answer.
        report.unanswered += 1
        if report.unansweredAfterSeconds == nil {
            report.unansweredAfterSeconds = (clock.now - slot.since).inSeconds
        }
        keep(requests[slot.answered], "unanswered")
        for request in requests[(slot.answered + 1)...] { askAgain(request) }
        slot.end()
    }

    private func settleTorn(_ slot: Slot, _ isOpen: Bool) {
        while let answer = slot.line.next() { note(slot.requests[0], answer.status) }
        guard !isOpen else { return }
        if slot.isPatient, clock.now - slot.since > .seconds(15) { report.timedOut += 1 }
        slot.end()
    }

    private func note(_ request: FuzzRequest, _ status: Int) {
        report.answers[status, default: 0] += 1
        // 503: too many requests are waiting. 501: an unknown transfer coding (RFC 9112, section 6.1).
        guard status >= 500, status != 503, status != 501 else { return }
        report.errors += 1
        keep(request, "\(status)")
    }

    private func settle(_ request: FuzzRequest, _ answer: HTTPReply) {
        note(request, answer.status)
        guard let workItem = request.workItem else {
            if request.kind == .registration, answer.status == 200 {
                tokens.formUnion(FormToken.tokens(of: request.body).map(\.hashValue))
            }
            return
        }
        if answer.status == 503 { return askAgain(request) }
        let text = String(decoding: answer.body, as: UTF8.self)
        var isRight = answer.status == 200
        switch workItem {
        case .register(let index):
            isRight = isRight && text.contains(#"status="ok""#)
            if isRight { report.registered.insert(index) }
        case .report(let index): if isRight { report.reported.insert(index) }
        case .look: isRight = isRight && text.contains("\"id\":\(corpus.honest[0].delivery),")
        }
        if isRight {
            report.honest += 1
        } else {
            report.wronglyAnswered += 1
            keep(request, "wrong")
        }
    }

    // MARK: What is kept

    /// Keeps a request so that it can be repeated: `nc 127.0.0.1 8080 < FILE`.
    private func keep(_ request: FuzzRequest, _ why: String) {
        guard report.files.count < Self.maxFiles else { return }
        let name = "request-\(request.number)-\(why)"
        guard (try? testbed.folder.write(request.bytes, to: name)) != nil else { return }
        report.files.append(testbed.folder.file(name))
    }
}
