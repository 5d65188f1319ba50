/// Which random faults a sink has, on all of its ports.
package struct FaultPlan: Equatable, Sendable {
    package var seed: UInt64
    package var faults: Set<RandomFault>
    /// Between two faults of one port lie so many requests, on average; from 1.
    package var every: Int
    /// How long a half-open connection is silent until it is closed.
    package var silence: Instant.Span
    /// Then there is no more; nil: for ever.
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

    /// The script of a port, under this plan.
    package func over(_ script: [any GatewayBehaviour], of dialect: RuleDialect) -> [any GatewayBehaviour] {
        [RandomFaults(self, dialect, seed: seed(of: dialect), script: script)]
    }

    /// Who is turned away while shaking hands; nil: nobody.
    package func door(of dialect: RuleDialect) -> Door? {
        guard faults.contains(.tls) else { return nil }
        return .chance(SeededGenerator(seed: ~seed(of: dialect)), left: count ?? .max)
    }

    /// Ports do not disturb one another's series.
    private func seed(of dialect: RuleDialect) -> UInt64 {
        let port: UInt64 =
            switch dialect {
            case .apns: 1
            case .fcm: 2
            case .oauth: 3
            case .binary: 4
            }
        return Bytes.mixed(seed &+ port &* 0x9E37_79B9_7F4A_7C15)
    }
}

/// Which connections are broken off before TLS stands.
package struct Door {
    private var chance: SeededGenerator?
    private var left: Int
    private var gap: Int
    private let every: Int

    /// Every so-manieth.
    package static func every(_ count: Int) -> Door {
        Door(chance: nil, left: .max, gap: count, every: count)
    }

    /// One of two to six, never the first.
    package static func chance(_ chance: SeededGenerator, left: Int) -> Door {
        var chance = chance
        let gap = Int.random(in: 2...6, using: &chance)
        return Door(chance: chance, left: left, gap: gap, every: 0)
    }

    private init(chance: SeededGenerator?, left: Int, gap: Int, every: Int) {
        self.chance = chance
        self.left = left
        self.gap = gap
        self.every = every
    }

    /// Asked once for each connection.
    package mutating func turnsAway() -> Bool {
        guard left > 0 else { return false }
        gap -= 1
        guard gap <= 0 else { return false }
        if var chance {
            gap = .random(in: 2...6, using: &chance)
            self.chance = chance
        } else {
            gap = every
        }
        left -= 1
        return true
    }
}
