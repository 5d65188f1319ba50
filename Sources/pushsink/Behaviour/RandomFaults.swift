/// Faults that come by themselves, by a seed: after how many requests, which, and how bad.
///
/// It strikes only requests that the script would have accepted, so that what the script refuses stays
/// refused. Counted in requests and not in time: the same seed is the same series of faults, each after as
/// many requests. Every fault comes once before any comes twice. **Neighbours.** ``FaultPlan`` makes
/// one for each port.
package struct RandomFaults: GatewayBehaviour {
    private var script: [any GatewayBehaviour]
    private let plan: FaultPlan
    private let dialect: RuleDialect
    private var chance: SeededGenerator
    /// Faults that have not had their turn, the next one last.
    private var deck: [RandomFault] = []
    private var calm = 0
    private var left: Int
    private var burst: (answer: SinkAnswer, requests: Int)?

    init(_ plan: FaultPlan, _ dialect: RuleDialect, seed: UInt64, script: [any GatewayBehaviour]) {
        self.plan = plan
        self.dialect = dialect
        self.script = script
        chance = SeededGenerator(seed: seed)
        left = plan.count ?? .max
        calm = nextCalm()
    }

    package mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer? {
        let scripted = scripted(request, at: now)
        guard scripted.act == .accept else { return scripted }
        if burst == nil {
            guard left > 0 else { return scripted }
            calm -= 1
            guard calm < 0, let fault = nextFault() else { return scripted }
            burst = drawn(fault)
            left -= 1
            calm = nextCalm()
        }
        guard let (struck, requests) = burst else { return scripted }
        burst = requests > 1 ? (struck, requests - 1) : nil
        var answer = scripted
        answer.act = struck.act
        answer.delay = scripted.delay + struck.delay
        if let streams = struck.streams { (answer.streams, answer.streamsFor) = (streams, struck.streamsFor) }
        answer.drip = struck.drip ?? scripted.drip
        answer.fault = struck.fault
        return answer
    }

    private mutating func scripted(_ request: SinkRequest, at now: Instant) -> SinkAnswer {
        for index in script.indices {
            if let answer = script[index].answer(request, at: now) { return answer }
        }
        return .accept
    }

    // MARK: Chance

    private mutating func nextCalm() -> Int { .random(in: 0...2 * (plan.every - 1), using: &chance) }

    private mutating func nextFault() -> RandomFault? {
        if deck.isEmpty {
            deck = RandomFault.known(to: dialect).filter(plan.faults.contains).shuffled(using: &chance)
        }
        return deck.popLast()
    }

    /// The fault in full, and how many requests meet it.
    private mutating func drawn(_ fault: RandomFault) -> (SinkAnswer, Int) {
        var answer = SinkAnswer.accept
        var requests = 1
        switch fault {
        case .goAway: answer.act = .goAway(GoAway(.abrupt, reason: farewell()))
        case .gracefulGoAway: answer.act = .goAway(GoAway(.graceful, reason: farewell()))
        case .shutdown: answer.act = .goAway(GoAway(.abrupt, reason: "Shutdown"))
        case .narrow:
            answer.streams = 1
            answer.streamsFor = .random(in: 10...100, using: &chance)
        case .refuse:
            answer.act = .refuse
            requests = .random(in: 1...8, using: &chance)
        case .drip: answer.drip = .random(in: 50...300, using: &chance)
        case .slow:
            answer.delay = .milliseconds(.random(in: 2...8, using: &chance) * 100)
            requests = .random(in: 1...20, using: &chance)
        case .tooMany, .internalError, .unavailable:
            answer.act = .reject(rejection(fault))
            requests = .random(in: 5...40, using: &chance)
        case .processingError: answer.act = .reject(BinaryStatus(1).rejection)
        case .garbage: answer.act = .blurt(.garbage)
        case .halfPacket: answer.act = .blurt(.halfPacket)
        case .stranger: answer.act = .blurt(.stranger)
        case .reset: answer.act = .reset
        case .close: answer.act = .close
        case .halfOpen: answer.act = .halfOpen(plan.silence)
        // Met at the door, by no request.
        case .tls: break
        }
        answer.fault = fault
        return (answer, requests)
    }

    private mutating func farewell() -> String { Bool.random(using: &chance) ? "Shutdown" : "IdleTimeout" }

    private mutating func rejection(_ fault: RandomFault) -> Rejection {
        var rejection: Rejection
        if dialect == .fcm {
            let code =
                fault == .tooMany ? "QUOTA_EXCEEDED" : fault == .unavailable ? "UNAVAILABLE" : "INTERNAL"
            rejection = GoogleError.fcm(code)
        } else {
            let shutsDown = Bool.random(using: &chance)
            switch fault {
            case .tooMany: rejection = Rejection(status: 429, reason: "TooManyRequests")
            case .unavailable:
                rejection = Rejection(status: 503, reason: shutsDown ? "Shutdown" : "ServiceUnavailable")
            default: rejection = Rejection(status: 500, reason: "InternalServerError")
            }
        }
        if fault != .internalError {
            switch Int.random(in: 0...3, using: &chance) {
            case 0: rejection.retryAfter = .seconds(1)
            case 1: rejection.retryAfter = .date(2)
            default: break
            }
        }
        return rejection
    }
}
