/// Requests at a rate, whatever becomes of them, on connections that are kept.
final class SinglesRun {
    private enum Errand {
        case single(Int)
        case report(Int)
        case look(Int)
    }

    /// Messages that devices report: their ids as SDKs write them.
    var reported: [String] = []
    private(set) var bad = 0
    private let scenario: SinglesScenario
    private let testbed: Testbed
    private let token: String
    private var pump: RequestPump<Errand>
    private var asked: [Int: Double] = [:]
    private var nextSingle = 0
    private var nextReport = 0
    private var answered = 0
    private var isOver = false
    private let clock = ContinuousClock()

    private static let connections = 64
    private static let lookEvery: Duration = .milliseconds(250)

    init(_ scenario: SinglesScenario, _ testbed: Testbed) {
        (self.scenario, self.testbed) = (scenario, testbed)
        token = testbed.apiToken
        pump = RequestPump(port: testbed.ports.web, connections: Self.connections)
    }

    /// When each was asked for since the last call.
    func takeTimes() -> [Int: Double] {
        defer { asked = [:] }
        return asked
    }

    func sendSingles(_ count: Int) async throws {
        let begin = clock.now
        var sent = 0
        while sent < count || !pump.isIdle {
            let due = min(count, Int((clock.now - begin).inSeconds * Double(scenario.singlesPerSecond)))
            while sent < due {
                addSingle()
                sent += 1
            }
            try await turn()
        }
    }

    /// - Returns: reports answered a second.
    @discardableResult
    func drive(singlesPerSecond: Int = 0, reportsPerSecond: Int = 0, until delivery: Int) async throws
        -> Double
    {
        let begin = clock.now
        var (sent, looked) = ((singles: 0, reports: 0), begin)
        (isOver, answered) = (false, 0)
        while !isOver {
            let seconds = (clock.now - begin).inSeconds
            guard seconds < scenario.limit.inSeconds else {
                throw LoadError(.wrong("delivery \(delivery) has not ended after \(seconds.fixed(0)) s"))
            }
            while sent.singles < Int(seconds * Double(singlesPerSecond)) {
                addSingle()
                sent.singles += 1
            }
            while sent.reports < Int(seconds * Double(reportsPerSecond)), !reported.isEmpty {
                pump.add(.report(nextReport))
                (nextReport, sent.reports) = (nextReport + 1, sent.reports + 1)
            }
            if clock.now - looked > Self.lookEvery {
                looked = clock.now
                pump.add(.look(delivery))
            }
            try await turn()
        }
        let seconds = (clock.now - begin).inSeconds
        while !pump.isIdle { try await turn() }
        return Double(answered) / max(seconds, 0.001)
    }

    private func addSingle() {
        pump.add(.single(nextSingle))
        asked[nextSingle] = Double(Moment.now)
        nextSingle += 1
    }

    private func turn() async throws {
        let host = "127.0.0.1:\(testbed.ports.web)"
        for ended in pump.turn(bytes: { request(of: $0).written(host: host) }) { note(ended) }
        try Interruption.check()
        try await Task.sleep(for: .milliseconds(1))
    }

    private func note(_ ended: RequestPump<Errand>.Ended) {
        let status = ended.reply?.status ?? 0
        switch ended.errand {
        case .single(let number):
            guard status != 202 else { return }
            asked[number] = nil
            bad += 1
        case .report: if status == 200 { answered += 1 } else { bad += 1 }
        case .look:
            let text = String(decoding: ended.reply?.body ?? [], as: UTF8.self)
            if text.contains(#""state":"finished""#) { isOver = true }
        }
    }

    private func request(of errand: Errand) -> HTTPRequest {
        switch errand {
        case .single(let number):
            let device = SinglesScenario.singleDevices.token(number % 1_000)
            let content = #"{"title": "Code", "body": "number \#(number)."}"#
            return .call(
                "POST", "/messages", token: token,
                body: #"{"app": "\#(Testbed.app)", "token": "\#(device)", "content": \#(content)}"#)
        case .report(let number):
            let kind = number / reported.count % 2 + 1
            return HTTPRequest("GET", "/r/", query: "id=h\(reported[number % reported.count]),\(kind)")
        case .look(let delivery): return .call("GET", "/deliveries/\(delivery)", token: token)
        }
    }
}
