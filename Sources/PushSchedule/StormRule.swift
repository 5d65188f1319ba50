package import PushModel

/// Whether what an account's answers say of tokens is believed: a wrong credential, topic or project makes
/// every token look dead, and believing it would empty the registry.
///
/// Judged over the answers since the last judgement: at least ``minimumAnswers``, or all that there are once
/// the account has nothing more to send. A share of bad tokens above ``ratio`` is a storm, whatever was
/// accepted; verdicts are believed only of an account that had a message accepted with this credential.
package struct StormRule: Equatable, Sendable {
    /// `stormRatio`.
    package var ratio: Double
    /// `stormMinimum`.
    package var minimumAnswers: Int

    package init(ratio: Double = 0.5, minimumAnswers: Int = 200) {
        self.ratio = ratio
        self.minimumAnswers = max(minimumAnswers, 1)
    }

    /// Asked while verdicts of the account are held.
    /// - Parameters:
    ///   - answers: since the last judgement.
    ///   - before: those of the judgement before. They fill up the answers of an account that will give no
    ///     more, so that the last few of a delivery, whose dead tokens may lie together, are judged as what
    ///     they are: its end.
    ///   - wasAccepted: the account has ever had a message accepted with this credential.
    ///   - isWhole: the account has nothing out and nothing waiting: there will be no more answers soon.
    package func judge(
        _ answers: AccountAnswers, before: AccountAnswers, wasAccepted: Bool, isWhole: Bool
    ) -> TrustJudgement {
        var answers = answers
        guard isWhole || answers.count >= minimumAnswers else { return .wait }
        let missing =
            isWhole ? min(max(Self.endWindows * minimumAnswers - answers.count, 0), before.count) : 0
        if missing > 0 {
            let bad = (missing * before.aboutTokens + before.count - 1) / before.count
            answers.aboutTokens += bad
            answers.accepted += missing - bad
        }
        let count = answers.count
        guard Double(answers.aboutTokens) <= ratio * Double(count) else {
            // The one device of a proof that has gone is no storm: nobody is to be stopped for it, nor is it
            // believed.
            return answers.aboutTokens >= Self.fewestOfStorm ? .storm : .wait
        }
        return wasAccepted ? .believe : .wait
    }

    /// The end of what an account said is judged over so many times the minimum.
    static let endWindows = 3
    /// With fewer bad tokens nothing is called a storm: their verdicts wait for more answers instead.
    package static let fewestOfStorm = 10
}

extension AccountAnswers {
    fileprivate var count: Int { accepted + aboutTokens }
}
