internal import Glibc

/// One run of a ``FuzzScenario``: all connections in one loop, on whatever thread asks for it.
///
/// Requests that are framed well go several at once over connections that are kept, and each has one answer.
/// Those that are not have a connection each, whose sending side is closed behind them, so that the server
/// has no more to wait for; some are left open, which only its time-outs end.
final class FuzzRun {
    private struct Slot {
        let line = HTTPLine()
        let isTorn: Bool
        var requests: [FuzzRequest] = []
        /// Of these, how many were answered.
        var answered = 0
        var since = ContinuousClock.now
        /// Left to the server's time-outs.
        var isLeft = false
        /// Since when its connection has had no request.
        var restsSince: ContinuousClock.Instant?
    }

    let corpus: FuzzCorpus
    var report: FuzzReport
    /// Hashes of tokens that a mutated form had which was answered with success.
    private(set) var tokens: Set<Int> = []
    private let scenario: FuzzScenario
    private let testbed: Testbed
    private let mutation: ByteMutation
    private var slots: [Slot]
    /// Of the slots that have requests, in their order.
    private var polled: [pollfd] = []
    private var busy: [Int] = []
    private var next = 0
    /// To be asked again: their connection ended before their turn, or the service was busy.
    private var again: [FuzzRequest] = []
    private var torn: [FuzzRequest] = []
    private var leftCount = 0
    private let clock = ContinuousClock()

    /// The server lets a client wait, and be waited for, for 20 s each, and looks each second; a machine
    /// whose cores are busy takes its time.
    private static let patience: Duration = .seconds(90)
    private static let atOnce = 24
    /// The server closes a connection that rests for 20 s; one that has rested for so long is not asked again.
    private static let longestRest: Duration = .seconds(5)
    private static let mostLeft = 40
    private static let mostFiles = 20

    init(_ scenario: FuzzScenario, _ corpus: FuzzCorpus, in testbed: Testbed) {
        (self.scenario, self.corpus, self.testbed) = (scenario, corpus, testbed)
        report = FuzzReport(wanted: scenario.requests)
        var chance = Chance(seed: scenario.seed.number)
        mutation = ByteMutation(
            others: (0..<200).map { number in
                let kinds: [FuzzRequest.Kind] = [.registration, .report, .call]
                let message = FuzzRequest.base(kinds[number % 3], corpus, &chance)
                return message.body.isEmpty
                    ? Array("\(message.path)?\(message.query ?? "")".utf8) : message.body
            })
        let tornLines = max(scenario.connections / 3, 1)
        slots = (0..<scenario.connections + tornLines + Self.mostLeft).map {
            Slot(isTorn: $0 >= scenario.connections)
        }
    }

    // MARK: The loop

    func run(say: (String) -> Void) throws {
        let begin = clock.now
        var told = begin
        let before = figures()
        guard let engine = testbed.engine else { throw LoadError(.wrong("no engine was started")) }
        while true {
            try Interruption.check()
            for place in slots.indices where slots[place].requests.isEmpty { fill(place) }
            guard slots.contains(where: { !$0.requests.isEmpty }) else { break }
            turn()
            if report.early == nil, report.requests * 10 >= scenario.requests {
                report.early = figures()
                // By now some of them are of connections that end there in a moment.
                report.early?.openFiles = before?.openFiles ?? 0
            }
            if clock.now - told > .seconds(10) {
                told = clock.now
                let megabytes = ProcessFigures(of: engine.processID)?.residentMegabytes ?? 0
                say(
                    "\(report.requests) requests after \((told - begin).inSeconds.fixed(0)) s, "
                        + "service \(megabytes.fixed(1)) MiB"
                )
            }
            guard engine.isRunning else {
                report.hasEnded = true
                for slot in slots { for request in slot.requests { keep(request, "ended") } }
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
        // A leak can only be distinguished from what the store keeps if that is known: PostgreSQL keeps nothing here.
        let held =
            testbed.settings.store == .postgresql
            ? 0 : MetricFigure.read("pushmta_store_memory_bytes", port: testbed.ports.web)
        guard let held else { return nil }
        return FuzzReport.Figures(
            requests: report.requests, residentMegabytes: figures.residentMegabytes,
            storeMegabytes: held / 1_048_576,
            openFiles: files - slots.count { $0.line.isOpen })
    }

    private func turn() {
        busy.removeAll(keepingCapacity: true)
        polled.removeAll(keepingCapacity: true)
        for place in slots.indices where !slots[place].requests.isEmpty {
            let line = slots[place].line
            busy.append(place)
            polled.append(pollfd(fd: line.descriptor, events: line.interest, revents: 0))
        }
        guard unsafe poll(&polled, nfds_t(polled.count), 20) >= 0 else { return }
        let now = clock.now
        for (place, polled) in zip(busy, polled) {
            // What is left to time-outs says nothing for most of the run.
            guard polled.revents != 0 || now - slots[place].since > Self.patience else { continue }
            let isOpen = slots[place].line.turn(polled.revents)
            slots[place].isTorn ? settleTorn(place, isOpen) : settle(place, isOpen)
            guard !slots[place].requests.isEmpty, now - slots[place].since > Self.patience else { continue }
            report.hung += 1
            keep(slots[place].requests[min(slots[place].answered, slots[place].requests.count - 1)], "hung")
            end(place)
        }
    }

    private func end(_ place: Int, keepsLine: Bool = false) {
        if slots[place].isLeft { leftCount -= 1 }
        if !keepsLine { slots[place].line.hangUp() }
        slots[place].restsSince = clock.now
        slots[place].requests = []
        slots[place].answered = 0
        slots[place].isLeft = false
    }

    // MARK: Sending

    private func fill(_ place: Int) {
        if slots[place].isTorn { return fillTorn(place) }
        var bytes: [UInt8] = []
        while slots[place].requests.count < Self.atOnce, torn.count < 100, let request = take() {
            if request.kind == .torn {
                torn.append(request)
                continue
            }
            bytes += request.bytes
            slots[place].requests.append(request)
        }
        guard !bytes.isEmpty else { return }
        send(bytes, on: place, endsSending: false)
    }

    private func fillTorn(_ place: Int) {
        if torn.isEmpty, next >= scenario.requests { return }
        // The last ones wait for time-outs, as many as may at once; they take no place of the others.
        let maySurvive = place >= slots.count - Self.mostLeft
        if maySurvive, !scenario.waitsForTimeouts || next > scenario.requests * 9 / 10 { return }
        guard let request = torn.popLast() else { return }
        slots[place].requests = [request]
        slots[place].isLeft = maySurvive
        if maySurvive { leftCount += 1 }
        send(request.bytes, on: place, endsSending: !maySurvive)
    }

    private func send(_ bytes: [UInt8], on place: Int, endsSending: Bool) {
        slots[place].since = clock.now
        if let rested = slots[place].restsSince, clock.now - rested > Self.longestRest {
            slots[place].line.hangUp()
        }
        for request in slots[place].requests { report.sent[request.kind.rawValue] += 1 }
        guard !slots[place].line.begin(bytes, port: testbed.ports.web, endsSending: endsSending) else {
            return
        }
        for request in slots[place].requests { askAgain(request) }
        end(place)
    }

    private func take() -> FuzzRequest? {
        if let request = again.popLast() { return request }
        guard next < scenario.requests else { return nil }
        defer { next += 1 }
        return FuzzRequest(next, corpus, mutation)
    }

    /// It does not count as sent.
    private func askAgain(_ request: FuzzRequest) {
        report.sent[request.kind.rawValue] -= 1
        if request.kind == .torn { torn.append(request) } else { again.append(request) }
    }

    // MARK: Answers

    private func settle(_ place: Int, _ isOpen: Bool) {
        let requests = slots[place].requests
        while slots[place].answered < requests.count {
            let request = requests[slots[place].answered]
            guard let answer = slots[place].line.reader.next(isHead: request.isHead) else { break }
            slots[place].answered += 1
            settle(request, answer)
            if answer.isLast {
                for request in requests[slots[place].answered...] { askAgain(request) }
                return end(place)
            }
        }
        if slots[place].answered == requests.count { return end(place, keepsLine: isOpen) }
        guard !isOpen else { return }
        // Those behind the one that has no answer may not have been read.
        let first = requests[slots[place].answered]
        report.unanswered += 1
        if report.unansweredAfterSeconds == nil {
            report.unansweredAfterSeconds = (clock.now - slots[place].since).inSeconds
        }
        keep(first, "unanswered")
        for request in requests[(slots[place].answered + 1)...] { askAgain(request) }
        end(place)
    }

    private func settleTorn(_ place: Int, _ isOpen: Bool) {
        let request = slots[place].requests[0]
        while let answer = slots[place].line.reader.next() { note(request, answer.status) }
        guard !isOpen else { return }
        if slots[place].isLeft, clock.now - slots[place].since > .seconds(15) { report.timedOut += 1 }
        end(place)
    }

    private func note(_ request: FuzzRequest, _ status: Int) {
        report.answers[status, default: 0] += 1
        // 503: too many wait; 501: a transfer coding that is not known (RFC 9112, 6.1).
        guard status >= 500, status != 503, status != 501 else { return }
        report.errors += 1
        keep(request, "\(status)")
    }

    private func settle(_ request: FuzzRequest, _ answer: HTTPReply) {
        note(request, answer.status)
        guard let errand = request.errand else {
            if request.kind == .registration, answer.status == 200 { noteTokens(of: request.body) }
            return
        }
        if answer.status == 503 { return askAgain(request) }
        let text = String(decoding: answer.body, as: UTF8.self)
        var isRight = answer.status == 200
        switch errand {
        case .register(let index):
            isRight = isRight && text.contains(#"status="ok""#)
            if isRight { report.registered.insert(index) }
        case .report(let index):
            if isRight { report.reported.insert(index) }
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

    private func noteTokens(of body: ArraySlice<UInt8>) {
        for token in FormToken.tokens(of: body) { tokens.insert(token.hashValue) }
    }

    /// For repetition: `nc 127.0.0.1 8080 < FILE`.
    private func keep(_ request: FuzzRequest, _ why: String) {
        guard report.files.count < Self.mostFiles else { return }
        let name = "request-\(request.number)-\(why)"
        guard (try? testbed.folder.write(request.bytes, to: name)) != nil else { return }
        report.files.append(testbed.folder.file(name))
    }
}
