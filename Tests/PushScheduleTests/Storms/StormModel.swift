import Foundation
import PushModel
import PushSchedule
import TestSupport

/// A simulated account with the devices of its app. It sends deliveries to all of its devices, span by span,
/// and the evidence is judged as the master and the store judge it. Whole spans are drawn in one step from
/// their binomial distributions.
struct SimulatedAccount {
    enum Kind: CaseIterable {
        /// A sound account that has never sent a delivery before.
        case soundAndNew
        /// A sound account from which messages were accepted before.
        case soundAndProved
        /// An account with only wrong tokens from the beginning.
        case unsound
        /// An account from which messages were accepted before, and whose tokens are now all wrong.
        case turnedUnsound

        var isSound: Bool { self == .soundAndNew || self == .soundAndProved }
    }

    let kind: Kind
    let devices: Int
    /// In a sound account, the share of dead devices. In an unsound account, the share of devices whose
    /// tokens are rejected.
    let deadShare: Double
    /// The share of messages that receive no answer before their connection ends.
    let closing: Double
    /// Whether only accepted messages receive no answer, because the gateway reports a bad token immediately.
    let isLate: Bool
    let arrangement: TokenArrangement
    /// The number of messages that are submitted together.
    let spanSize: Int

    // The results.
    private(set) var hasStormed = false
    /// The verdicts that were applied, and the verdicts that are still waiting.
    private(set) var applied = 0
    private(set) var held = 0
    private(set) var answers = 0

    private var evidence = TrustEvidence()
    /// The waiting verdicts that the next judgement clears, the verdicts since the last judgement, and the
    /// verdicts that are applied.
    private var judged = 0
    private var latest = 0
    private var chance: SeededRandom
    private let rule = StormRule()
    private static let key = AccountKey(rawValue: "model app 1")
    private static let deliveries = 3

    init(_ chance: inout SeededRandom) {
        let kinds: [Kind] = [.soundAndNew, .soundAndProved, .unsound, .turnedUnsound]
        kind = kinds[chance.below(kinds.count)]
        devices = Int(exp(Double.random(in: 0...log(1e7), using: &chance)))
        deadShare =
            kind.isSound ? .random(in: 0...0.6, using: &chance) : .random(in: 0.95...1, using: &chance)
        closing = chance.one(in: 2) ? 0 : .random(in: 0...0.9, using: &chance)
        isLate = chance.one(in: 2)
        // A long run of dead tokens at the very beginning of an account that has never sent anything looks
        // like a wrong credential.
        let longest = kind == .soundAndNew && devices > 30_000 ? 300 : devices
        arrangement =
            kind.isSound
            ? TokenArrangement(
                devices: devices, deadShare: deadShare, longest: longest, isAtRandom: chance.one(in: 3),
                &chance)
            : TokenArrangement(devices: devices, wrongShare: deadShare, &chance)
        spanSize = max(Int.random(in: 1...4_900, using: &chance), devices / 60)
        self.chance = SeededRandom(seed: chance.next())
    }

    mutating func run() {
        if kind == .soundAndProved || kind == .turnedUnsound {
            evidence.hold(verdicts: 5)
            evidence.count(AccountAnswers(account: Self.key, accepted: 500, aboutTokens: 5))
            evidence.noteTrusted()
        }
        for _ in 0..<Self.deliveries where !hasStormed {
            deliver()
            rest()
        }
    }

    /// Simulates one delivery to all devices whose tokens are not quarantined.
    private mutating func deliver() {
        var walk = arrangement.walk()
        var left = devices
        var again = (dead: 0, alive: 0)
        while left > 0, !hasStormed {
            let size = min(spanSize, left)
            left -= size
            let dead = min(walk.dead(in: size), size)
            let alive = size - dead
            submit(dead: max(dead - quarantined(dead), 0), alive: alive, &again)
        }
        // Messages without an answer are sent again, and a gateway does not close connections forever.
        var tries = 0
        while again.dead + again.alive > 0, !hasStormed {
            let retried = again
            again = (0, 0)
            tries += 1
            submit(dead: retried.dead, alive: retried.alive, closes: tries < 4, &again)
        }
    }

    /// Returns how many of the given number of dead devices are already in quarantine.
    private mutating func quarantined(_ dead: Int) -> Int {
        let all = arrangement.dead
        guard applied > 0, all > 0 else { return 0 }
        return chance.binomial(dead, min(Double(applied) / Double(all), 1))
    }

    private mutating func submit(
        dead: Int, alive: Int, closes: Bool = true, _ again: inout (dead: Int, alive: Int)
    ) {
        let share = closes ? closing : 0
        let lostAlive = chance.binomial(alive, share)
        let lostDead = isLate ? 0 : chance.binomial(dead, share)
        again.dead += lostDead
        again.alive += lostAlive
        let span = AccountAnswers(
            account: Self.key, accepted: alive - lostAlive, aboutTokens: dead - lostDead,
            unanswered: isLate ? lostAlive : 0)
        answers += span.accepted + span.aboutTokens
        evidence.hold(verdicts: span.aboutTokens)
        evidence.count(span)
        latest += span.aboutTokens
        judge(isAtRest: false)
    }

    /// Judges as `VerdictWriter` does: a verdict is applied by the second judgement after it, or by a
    /// judgement while the account is idle.
    private mutating func judge(isAtRest: Bool) {
        guard judged + latest > 0 else { return }
        switch rule.judge(evidence, devices: devices, isAtRest: isAtRest) {
        case .wait: break
        case .storm: hasStormed = true
        case .believe:
            evidence.noteTrusted()
            applied += isAtRest ? judged + latest : judged
            (judged, latest) = (isAtRest ? 0 : latest, 0)
        }
        held = judged + latest
    }

    /// Ends the delivery and lets a day pass.
    private mutating func rest() {
        guard !hasStormed else { return }
        judge(isAtRest: true)
        guard !hasStormed, held > 0,
            case .time = rule.wait(of: evidence, since: WallMoment(millisecondsSince1970: 0))
        else { return }
        applied += held
        (judged, latest, held) = (0, 0, 0)
    }
}

/// The arrangement of dead tokens in an app: at random, or in blocks of equal length. Each block stands for
/// one import, which is either old or new. The arrangement is the same for every pass with the same spans.
struct TokenArrangement {
    private let blocks: Int
    private let deadBlocks: Int
    private let blockSize: Int
    /// `false` if dead tokens are arranged at random.
    private let isInBlocks: Bool
    private let deadShare: Double
    private let seed: UInt64
    let dead: Int

    private let deadInOld: Double

    init(devices: Int, deadShare: Double, longest: Int, isAtRandom: Bool, _ chance: inout SeededRandom) {
        self.deadShare = deadShare
        isInBlocks = !isAtRandom
        let longest = max(longest, 1)
        blockSize = max(Int(exp(Double.random(in: 0...log(Double(longest)), using: &chance))), 1)
        blocks = max((devices + blockSize - 1) / blockSize, 1)
        deadBlocks = Int(deadShare * Double(devices) / Double(blockSize))
        seed = chance.next()
        deadInOld = 0.99
        dead =
            isInBlocks
            ? Int(Double(deadBlocks * blockSize) * deadInOld) : Int(deadShare * Double(devices))
    }

    /// The arrangement for an account with only wrong tokens: exactly this share of the tokens is rejected.
    /// If there are only a few tokens, all of them are rejected.
    init(devices: Int, wrongShare: Double, _ chance: inout SeededRandom) {
        deadShare = wrongShare
        isInBlocks = true
        blockSize = 1
        blocks = devices
        deadBlocks = devices - Int((1 - wrongShare) * Double(devices))
        deadInOld = 1
        seed = chance.next()
        dead = deadBlocks
    }

    struct Walk {
        fileprivate let arrangement: TokenArrangement
        fileprivate var chance: SeededRandom
        fileprivate var blocks: Int
        fileprivate var deadBlocks: Int
        /// The remaining devices in the block that was begun.
        fileprivate var begun = (size: 0, isDead: false)

        /// Returns the number of dead devices among the next `size` devices.
        mutating func dead(in size: Int) -> Int {
            guard arrangement.isInBlocks else { return chance.binomial(size, arrangement.deadShare) }
            var (left, old) = (size, 0)
            while left > 0, blocks > 0 || begun.size > 0 {
                if begun.size == 0 {
                    let whole = min(left / arrangement.blockSize, blocks)
                    if whole > 1 {
                        old += takeDead(of: whole) * arrangement.blockSize
                        left -= whole * arrangement.blockSize
                        continue
                    }
                    begun = (arrangement.blockSize, takeDead(of: 1) == 1)
                }
                let taken = min(left, begun.size)
                if begun.isDead { old += taken }
                begun.size -= taken
                left -= taken
            }
            return chance.binomial(old, arrangement.deadInOld)
        }

        private mutating func takeDead(of count: Int) -> Int {
            guard blocks > 0 else { return 0 }
            let drawn = chance.binomial(count, Double(deadBlocks) / Double(blocks))
            let dead = min(max(drawn, count - (blocks - deadBlocks)), deadBlocks)
            blocks -= count
            deadBlocks -= dead
            return dead
        }
    }

    func walk() -> Walk {
        Walk(arrangement: self, chance: SeededRandom(seed: seed), blocks: blocks, deadBlocks: deadBlocks)
    }
}

extension SeededRandom {
    /// Returns the number of successes in `count` trials. For large numbers the normal distribution is used,
    /// which is sufficiently close.
    mutating func binomial(_ count: Int, _ share: Double) -> Int {
        guard count > 0, share > 0 else { return 0 }
        guard share < 1 else { return count }
        if share > 0.5 { return count - binomial(count, 1 - share) }
        let mean = Double(count) * share
        if mean > 30 {
            let (one, two) = (Double.random(in: 0..<1, using: &self), Double.random(in: 0..<1, using: &self))
            let normal = (-2 * log(1 - one)).squareRoot() * cos(2 * Double.pi * two)
            let drawn = (mean + normal * (mean * (1 - share)).squareRoot()).rounded()
            return Int(min(max(drawn, 0), Double(count)))
        }
        // The inversion method.
        let odds = share / (1 - share)
        var probability = exp(Double(count) * log(1 - share))
        var rest = Double.random(in: 0..<1, using: &self)
        var successes = 0
        while rest > probability, successes < count {
            rest -= probability
            successes += 1
            probability *= odds * Double(count - successes + 1) / Double(successes)
        }
        return successes
    }
}
