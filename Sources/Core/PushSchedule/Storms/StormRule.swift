package import PushModel

/// Determines whether the verdicts about tokens in an account's answers are believed. With a wrong
/// credential, topic or environment, every token appears dead, and believing these answers would empty the
/// registry.
///
/// The evidence is ``TrustEvidence``. It treats answers as independent, but dead tokens occur in clusters: an
/// old import may cause a run of any length. A storm therefore also requires more rejected tokens in a row
/// than a sound account can have. The maximum for a sound account is a share of all devices of the app
/// (``maxDeadShare``). An account that was never proved stops after ``mostUnprovedRun`` rejected tokens at
/// the latest, however large the app is. A proved account never stops before that share is reached.
package struct StormRule: Equatable, Sendable {
    /// `stormRatio`. 1 means that no storm is ever declared.
    package var maxDeadShare: Double
    /// `stormMinimum`.
    package var minRejections: Int
    /// `holdDelay`.
    package var holdDelaySeconds: Int64

    package init(maxDeadShare: Double = 0.65, minRejections: Int = 100, holdDelaySeconds: Int64 = 86_400) {
        self.maxDeadShare = maxDeadShare
        self.minRejections = max(minRejections, 1)
        self.holdDelaySeconds = max(holdDelaySeconds, 0)
    }

    /// The minimum number of answers for a judgement while more answers are expected.
    static let windowAnswers = 200
    /// The number of rejected tokens in a row, in an account that never had a message accepted, after which
    /// the size of the app no longer matters.
    package static let mostUnprovedRun = 20_000
    /// For a storm, a proved account needs this multiple of the minimum number of rejected tokens.
    static let provedFactor = 10

    /// Judges the account while its verdicts are held back.
    /// - Parameters:
    ///   - devices: The maximum number of devices that the app has; `nil` if it is unknown.
    ///   - isAtRest: Whether no message is with a child and none waits, so that no answer will arrive soon.
    package func judge(_ evidence: TrustEvidence, devices: Int?, isAtRest: Bool) -> TrustJudgement {
        if isStorm(evidence, devices: devices ?? 0) { return .storm }
        guard isAtRest || evidence.accepted + evidence.aboutTokens >= Self.windowAnswers else { return .wait }
        return evidence.isBelievable ? .believe : .wait
    }

    private func isStorm(_ evidence: TrustEvidence, devices: Int) -> Bool {
        let needed = evidence.isProved ? TrustEvidence.stormOfProved : TrustEvidence.stormOfUnproved
        let run = evidence.run
        // Old and new imports in alternation may exceed the normal share for a while, but not by this much.
        guard maxDeadShare < 1, evidence.storm >= needed, run.aboutTokens * 8 >= run.answers * 7 else {
            return false
        }
        let share = Int((Double(devices) * maxDeadShare).rounded(.up))
        let fewest =
            evidence.isProved
            ? max(Self.provedFactor * minRejections, share)
            : max(minRejections, min(share, Self.mostUnprovedRun))
        return run.aboutTokens >= fewest
    }

    /// The event that held-back verdicts wait for if there is no storm.
    package enum Wait: Equatable, Sendable {
        /// An operator's decision, because the account has not had enough messages accepted since its
        /// credential, topic or environment last changed.
        case decision
        /// Further acceptances, because the latest answers are evidence that the account is not sound.
        case acceptances
        /// The time at which the verdicts are applied, unless answers contradict them.
        case time(WallTime)
    }

    /// - Parameter since: When the oldest of the verdicts was given.
    package func wait(of evidence: TrustEvidence, since: WallMoment) -> Wait {
        guard evidence.isProved else { return .decision }
        return evidence.isContradicted
            ? .acceptances : .time(since.time.advanced(bySeconds: holdDelaySeconds))
    }
}
