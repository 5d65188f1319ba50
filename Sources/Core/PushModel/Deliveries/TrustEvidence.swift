/// The evidence that the answers of an account give about its tokens: either a normal share of them is dead, or
/// everything is wrong.
///
/// A wrong credential, topic or environment makes a gateway reject at least 95 % of all tokens. In a sound account
/// a normal share of them is dead: ``normalShare``, learned from the account's own answers, at most 30 %. Each
/// answer adds the logarithm of the likelihood ratio between the two. All evidence is counted in thousandths of a
/// nat, so that stores keep whole numbers: 13 816 is a ratio of one million.
///
/// **Guarantees.** An account in which everything is wrong reaches ``proof`` with a probability of at most 10⁻⁶ and
/// ``belief`` of at most 10⁻⁹, however many answers it gives and in whatever order: the ratio is a martingale of
/// mean 1 (Ville's inequality). An account in which up to 60 % of the tokens are dead at random reaches a storm
/// evidence of `E` nats with a probability below `exp(-0.23 E)` for each start of a run. Long runs of dead tokens
/// are no concern of this type: see `StormRule`.
package struct TrustEvidence: Equatable, Sendable {
    /// Answers that accepted a message since the last decision. Of those before the first answer that rejects a
    /// token, ``rememberedAcceptances`` count at most: an account whose every answer is an acceptance is not
    /// written once it has them.
    package var accepted = 0
    /// Answers that rejected a token since the last decision.
    package var aboutTokens = 0
    /// Whether the answers since the credential, topic or environment last changed have shown that the account
    /// works.
    package var isProved = false
    /// Evidence of a storm. It never falls below 0, so that it covers the latest answers only, and messages
    /// whose acceptance may have been lost count as accepted.
    package var storm = 0
    /// The answers since ``storm`` was last 0: those that rejected a token, and all.
    package var run = Run()
    /// As ``storm``, without the messages that got no answer: while it is high, no verdict is applied. A rejection
    /// counts here as soon as its verdict is held, an acceptance when its span is settled. So a verdict is never
    /// without the evidence against it, also if the process ends before the span is settled.
    package var doubt = 0
    /// The share of dead tokens that is normal for the app, in parts per million, as learned so far.
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
    /// Soundness that proves an account: a ratio of one million, at least five acceptances.
    package static let proof = 13_816
    /// Soundness with which verdicts are applied at once: a ratio of a thousand million.
    package static let belief = 20_724
    /// Doubt with which no verdict is applied: a ratio of one million, twelve rejected tokens in a row.
    package static let contradiction = 13_816
    /// Storm evidence that stops an account which is not proved: 105 rejected tokens in a row. The probability
    /// that chance alone brings it about in a sound account is below 10⁻¹² for each message.
    package static let stormOfUnproved = 120_000
    /// The same for a proved account: 1 041 rejected tokens in a row.
    package static let stormOfProved = 1_200_000

    /// What an answer adds, if this share of the tokens is dead: ln((1 − p) / 0.05) and ln(0.95 / p).
    struct NormalShare {
        let perMillion: Int
        let acceptance: Int
        let rejection: Int

        /// The largest share that is normal.
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

    /// The next greater share that there are weights for.
    private var normalShare: NormalShare {
        NormalShare.all.first { $0.perMillion >= deadPerMillion } ?? .most
    }

    /// Evidence that the account is sound, from the answers since the last decision: against "everything is wrong",
    /// with the learned share and the largest normal one as equally likely.
    package var soundness: Int {
        func evidence(_ share: NormalShare) -> Int {
            accepted * share.acceptance - aboutTokens * share.rejection
        }
        // The half of the larger likelihood is less than the mean of both.
        return max(evidence(normalShare), evidence(.most)) - Self.halfLikelihood
    }

    /// ln 2
    private static let halfLikelihood = 694

    /// Whether verdicts may be applied on the word of these answers.
    package var isBelievable: Bool { soundness >= Self.belief && !isContradicted }
    /// Whether the latest answers look as if everything were wrong.
    package var isContradicted: Bool { doubt >= Self.contradiction }
    /// Whether it is worth the while to look how large the app is.
    package var mayBeStorm: Bool { storm >= Self.stormOfUnproved }

    /// Adds the answers of spans whose messages are all settled. The verdicts among them were held before
    /// (``hold(verdicts:)``).
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

    /// Verdicts are held from now on, before the spans of their messages are settled.
    package mutating func hold(verdicts: Int) {
        doubt = Self.sum(doubt, verdicts * NormalShare.most.rejection)
    }

    private static func sum(_ evidence: Int, _ more: Int) -> Int {
        min(max(evidence + more, 0), most)
    }

    /// No account answers so often: a bound on what a damaged row can hold.
    package static let most = 1 << 40

    /// The account was believed: the share of dead tokens is learned, and the next window begins. It inherits so much
    /// evidence that the last few answers of a delivery, among them a dead token or two, need no further.
    package mutating func believed() {
        let count = accepted + aboutTokens
        let dead = deadPerMillion * Self.learningAnswers + aboutTokens * 1_000_000
        deadPerMillion = min(
            max(dead / (Self.learningAnswers + count), 1), NormalShare.most.perMillion)
        (accepted, aboutTokens) = (min(accepted, Self.inheritedAcceptances), 0)
    }

    package static let inheritedAcceptances = 10

    /// What was learned before counts as much as so many answers.
    private static let learningAnswers = 2_000

    /// An operator has decided about all that was held: what the answers were evidence of is settled.
    package mutating func decided() {
        (accepted, aboutTokens, storm, run, doubt) = (0, 0, 0, Run(), 0)
    }
}
