/// The random faults of a sink, on all of its ports.
package struct FaultPlan: Equatable, Sendable {
    package var seed: UInt64
    package var faults: Set<RandomFault>
    /// The average number of requests between two faults on one port; at least 1.
    package var every: Int
    /// How long a half-open connection is silent before it is closed.
    package var silence: Instant.Span
    /// The maximum number of faults; `nil` for no limit.
    package var count: Int?

    package init(
        seed: UInt64, faults: Set<RandomFault> = Set(RandomFault.allCases), every: Int = 500,
        silence: Instant.Span = .seconds(3), count: Int? = nil
    ) {
        self.seed = seed
        self.faults = faults
        self.every = max(1, every)
        self.silence = silence
        self.count = count
    }

    /// Returns the script of a port, extended by the random faults of this plan.
    package func over(_ script: [any GatewayBehaviour], of dialect: RuleDialect) -> [any GatewayBehaviour] {
        if RandomFault.known(to: dialect).isEmpty { return script }
        return [RandomFaults(self, dialect, seed: seed(of: dialect), script: script)]
    }

    /// Returns the rule that selects the connections to be broken off during the handshake; `nil` if no
    /// connection is to be broken off.
    package func door(of dialect: RuleDialect) -> ConnectionFaults? {
        guard faults.contains(.tls) else { return nil }
        return .chance(SeededGenerator(seed: ~seed(of: dialect)), left: count ?? .max)
    }

    /// Returns a different seed for each port, so that the series of faults on one port does not depend on
    /// the others.
    private func seed(of dialect: RuleDialect) -> UInt64 {
        Bytes.mixed(seed &+ dialect.rawValue &* 0x9E37_79B9_7F4A_7C15)
    }
}

/// Chooses the connections that are broken off before TLS is established.
package struct ConnectionFaults {
    private var chance: SeededGenerator
    /// The possible distances between two chosen connections: 1 means two consecutive connections.
    private let gaps: ClosedRange<Int>
    private var left: Int
    private var gap: Int

    private init(_ chance: SeededGenerator, gaps: ClosedRange<Int>, left: Int) {
        (self.chance, self.gaps, self.left) = (chance, gaps, left)
        gap = .random(in: gaps, using: &self.chance)
    }

    /// Chooses one of every `count` connections.
    package static func every(_ count: Int) -> ConnectionFaults {
        ConnectionFaults(SeededGenerator(seed: 0), gaps: count...count, left: .max)
    }

    /// Chooses the second to sixth connection after each chosen connection, at random. Never chooses the
    /// first connection.
    static func chance(_ chance: SeededGenerator, left: Int) -> ConnectionFaults {
        ConnectionFaults(chance, gaps: 2...6, left: left)
    }

    /// Reports whether to break off the next connection. Must be called once for each connection.
    package mutating func turnsAway() -> Bool {
        guard left > 0 else { return false }
        gap -= 1
        guard gap <= 0 else { return false }
        gap = .random(in: gaps, using: &chance)
        left -= 1
        return true
    }
}

/// The kinds of random faults. `--fault-kinds` and the summary's `faults` use the same names.
package enum RandomFault: String, CaseIterable, Sendable {
    // Faults of gateways over HTTP
    /// The gateway sends GOAWAY with a reason. The last processed stream is in the middle of the waiting
    /// streams.
    case goAway = "goaway"
    /// The gateway sends the same GOAWAY as in `goAway`, but announces it with a GOAWAY with 2^31-1 first.
    case gracefulGoAway = "goaway-graceful"
    /// The gateway allows one concurrent stream for a while, and then the previous number again.
    case narrow
    /// The gateway answers a few streams with REFUSED_STREAM.
    case refuse
    /// The gateway sends the next bytes one by one.
    case drip
    /// A few answers are late.
    case slow
    /// The gateway answers several consecutive requests with this status. Some of the answers state when to
    /// try again.
    case tooMany = "429"
    case internalError = "500"
    case unavailable = "503"

    // Faults of the binary gateway
    case shutdown
    case processingError = "processing-error"
    case garbage
    case halfPacket = "half-packet"
    case stranger

    // Faults of both kinds of gateway
    case reset
    case close
    case halfOpen = "half-open"
    /// The handshake is broken off.
    case tls

    /// Returns the faults that can strike requests on a port of this dialect.
    static func known(to dialect: RuleDialect) -> [RandomFault] {
        switch dialect {
        case .apns, .fcm, .custom:
            [
                .goAway, .gracefulGoAway, .narrow, .refuse, .drip, .slow, .tooMany, .internalError,
                .unavailable, .reset, .close, .halfOpen,
            ]
        case .binary:
            [.shutdown, .processingError, .garbage, .halfPacket, .stranger, .reset, .close, .halfOpen]
        case .oauth: []
        }
    }
}

/// Random faults. For each fault, a seed determines the number of requests after which the fault occurs, its
/// kind and its severity.
///
/// A fault strikes only requests that the script would have accepted, so that faults do not replace the
/// script's refusals. The distance between faults is a number of requests, not a time. The same seed gives
/// the same series of faults, each after the same number of requests. Every kind of fault occurs once before
/// any kind occurs again. **Neighbours.** ``FaultPlan`` creates one value of this type for each port.
struct RandomFaults: GatewayBehaviour {
    private var script: [any GatewayBehaviour]
    private let plan: FaultPlan
    private let dialect: RuleDialect
    private var chance: SeededGenerator
    /// The faults that have not occurred yet. The last element is the next fault.
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
        calm = nextGap()
    }

    mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer? {
        let scripted = script.behave(request, at: now)
        guard scripted.act == .accept else { return scripted }
        if burst == nil {
            guard left > 0 else { return scripted }
            calm -= 1
            guard calm < 0, let fault = nextFault() else { return scripted }
            burst = drawn(fault)
            left -= 1
            calm = nextGap()
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

    // MARK: Chance

    private mutating func nextGap() -> Int { .random(in: 0...2 * (plan.every - 1), using: &chance) }

    private mutating func nextFault() -> RandomFault? {
        if deck.isEmpty {
            deck = RandomFault.known(to: dialect).filter(plan.faults.contains).shuffled(using: &chance)
        }
        return deck.popLast()
    }

    /// Returns the details of a fault, and the number of requests that it strikes.
    private mutating func drawn(_ fault: RandomFault) -> (SinkAnswer, Int) {
        var answer = SinkAnswer.accept
        var requests = 1
        switch fault {
        case .goAway: answer.act = .goAway(reason: farewell())
        case .gracefulGoAway: answer.act = .goAway(isGraceful: true, reason: farewell())
        case .shutdown: answer.act = .goAway(reason: "Shutdown")
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
        // `ConnectionFaults` applies this fault to connections, so it never strikes a request.
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
            rejection =
                switch fault {
                case .tooMany: Rejection(status: 429, reason: "TooManyRequests")
                case .unavailable:
                    Rejection(status: 503, reason: shutsDown ? "Shutdown" : "ServiceUnavailable")
                default: Rejection(status: 500, reason: "InternalServerError")
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

/// A repeatable random number generator: SplitMix64 (Steele, Lea, Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
