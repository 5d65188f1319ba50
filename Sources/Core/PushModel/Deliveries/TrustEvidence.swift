/// The evidence that an account's answers give about its tokens: either a normal share of them is dead, or
/// everything is wrong.
///
/// If the credential, topic or environment is wrong, a gateway rejects at least 95 % of all tokens. In a
/// sound account, a normal share of the tokens is dead: ``normalShare``, which is learned from the account's
/// own answers and is at most 30 %. Each answer adds the logarithm of the likelihood ratio between the two
/// hypotheses. All evidence is counted in thousandths of a nat, so that stores keep whole numbers: 13 816 is
/// a ratio of one million.
///
/// **Guarantees.** If everything in an account is wrong, it reaches ``proof`` with a probability of at most
/// 10⁻⁶ and ``belief`` with a probability of at most 10⁻⁹, regardless of the number and order of its answers:
/// the ratio is a martingale with mean 1 (Ville's inequality). If up to 60 % of an account's tokens are dead
/// at random, it reaches a storm evidence of `E` nats with a probability below `exp(-0.23 E)` for each start
/// of a run. Long runs of dead tokens are not handled by this type: see `StormRule`.
package struct TrustEvidence: Equatable, Sendable {
    /// The number of answers that accepted a message, since the last decision. Before the first answer that
    /// rejects a token, at most ``rememberedAcceptances`` acceptances count. Once an account that has only
    /// acceptances has this number, its evidence therefore no longer needs to be written to the store.
    package var accepted = 0
    /// The number of answers that rejected a token, since the last decision.
    package var aboutTokens = 0
    /// Whether the answers since the last change of the credential, topic or environment have shown that the
    /// account works.
    package var isProved = false
    /// The evidence of a storm. It never falls below 0, so it covers only the latest answers. Messages whose
    /// acceptance may have been lost count as accepted.
    package var storm = 0
    /// The answers since ``storm`` was last 0: the number of answers that rejected a token, and the number of
    /// all answers.
    package var run = Run()
    /// Like ``storm``, but without the messages that got no answer. While it is high, no verdict is applied.
    /// A rejection counts as soon as its verdict is held back; an acceptance counts only when its span is
    /// settled. The evidence against a verdict is therefore always present, even if the process ends before
    /// the span is settled.
    package var doubt = 0
    /// The normal share of dead tokens for the app, in parts per million, as learned so far.
    package var deadPerMillion = Self.priorDeadPerMillion

    package struct Run: Equatable, Sendable {
        package var aboutTokens = 0
        package var answers = 0
        package init(aboutTokens: Int = 0, answers: Int = 0) {
            self.aboutTokens = aboutTokens
            self.answers = answers
        }
    }

    package init() {}

    package static let rememberedAcceptances = 200
    package static let priorDeadPerMillion = 20_000
    /// The soundness that proves an account: a ratio of one million, which takes at least five acceptances.
    package static let proof = 13_816
    /// The soundness at which verdicts are applied immediately: a ratio of one billion.
    package static let belief = 20_724
    /// The doubt at which no verdict is applied: a ratio of one million, or twelve rejected tokens in a row.
    package static let contradiction = 13_816
    /// The storm evidence that stops an account that is not proved: 105 rejected tokens in a row. In a sound
    /// account, the probability that this happens by chance is below 10⁻¹² for each message.
    package static let stormOfUnproved = 120_000
    /// The storm evidence that stops a proved account: 1 041 rejected tokens in a row.
    package static let stormOfProved = 1_200_000

    /// The evidence that one answer adds if the share p of the tokens is dead: ln((1 − p) / 0.05) for an
    /// acceptance, and ln(0.95 / p) for a rejection.
    struct NormalShare {
        let perMillion: Int
        let acceptance: Int
        let rejection: Int

        /// The largest normal share.
        static let most = NormalShare(perMillion: 300_000, acceptance: 2_639, rejection: 1_153)
        static let all = [
            NormalShare(perMillion: 10_000, acceptance: 2_985, rejection: 4_554),
            NormalShare(perMillion: 20_000, acceptance: 2_975, rejection: 3_861),
            NormalShare(perMillion: 50_000, acceptance: 2_944, rejection: 2_945),
            NormalShare(perMillion: 100_000, acceptance: 2_890, rejection: 2_252),
            NormalShare(perMillion: 200_000, acceptance: 2_772, rejection: 1_559),
            most,
        ]
    }

    /// The smallest share in the table that is at least the learned share.
    private var normalShare: NormalShare {
        NormalShare.all.first { $0.perMillion >= deadPerMillion } ?? .most
    }

    /// The evidence that the account is sound, as opposed to "everything is wrong", from the answers since
    /// the last decision. The learned share and the largest normal share count as equally likely.
    package var soundness: Int {
        func evidence(_ share: NormalShare) -> Int {
            accepted * share.acceptance - aboutTokens * share.rejection
        }
        // The mean of the two likelihoods is at least half of the larger one.
        return max(evidence(normalShare), evidence(.most)) - Self.halfLikelihood
    }

    /// ln 2
    private static let halfLikelihood = 694

    /// Whether verdicts may be applied on the evidence of these answers.
    package var isBelievable: Bool { soundness >= Self.belief && !isContradicted }
    /// Whether the latest answers suggest that everything is wrong.
    package var isContradicted: Bool { doubt >= Self.contradiction }
    /// Whether there may be a storm, so that it is worthwhile to determine the size of the app.
    package var mayBeStorm: Bool { storm >= Self.stormOfUnproved }

    /// Adds the answers of spans whose messages are all settled. The verdicts among these answers are already
    /// held back (``hold(verdicts:)``).
    package mutating func count(_ answers: AccountAnswers) {
        let (good, bad) = (answers.accepted, answers.aboutTokens)
        if aboutTokens == 0 && bad == 0 {
            accepted = max(accepted, min(accepted + good, Self.rememberedAcceptances))
        } else {
            accepted += good
            aboutTokens += bad
        }
        doubt = Self.sum(doubt, -good * NormalShare.most.acceptance)
        let against = bad * NormalShare.most.rejection
        let settled = good + answers.unanswered
        storm = Self.sum(storm, against - settled * NormalShare.most.acceptance)
        if storm == 0 {
            run = Run()
        } else {
            run.aboutTokens += bad
            run.answers += bad + settled
        }
        if soundness >= Self.proof { isProved = true }
    }

    /// Adds verdicts that are held back from now on, before the spans of their messages are settled.
    package mutating func hold(verdicts: Int) {
        doubt = Self.sum(doubt, verdicts * NormalShare.most.rejection)
    }

    private static func sum(_ evidence: Int, _ more: Int) -> Int {
        min(max(evidence + more, 0), most)
    }

    /// A maximum that the answers of an account never reach. It bounds the values of a damaged row.
    package static let most = 1 << 40

    /// Records that the account was believed: the share of dead tokens is learned, and the next window
    /// begins. This window inherits enough evidence to apply the verdicts of a delivery's last few answers,
    /// including one or two dead tokens, without further evidence.
    package mutating func noteTrusted() {
        let count = accepted + aboutTokens
        let dead = deadPerMillion * Self.learningAnswers + aboutTokens * 1_000_000
        deadPerMillion = min(
            max(dead / (Self.learningAnswers + count), 1), NormalShare.most.perMillion)
        (accepted, aboutTokens) = (min(accepted, Self.inheritedAcceptances), 0)
    }

    package static let inheritedAcceptances = 10

    /// The weight of the previously learned share, as a number of answers.
    private static let learningAnswers = 2_000

    /// Records that an operator has decided about everything that was held back, so that the evidence of
    /// these answers is settled.
    package mutating func decided() {
        (accepted, aboutTokens, storm, run, doubt) = (0, 0, 0, Run(), 0)
    }
}
