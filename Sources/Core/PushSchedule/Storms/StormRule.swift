package import PushModel

/// Whether the verdicts about tokens that an account's answers gave are believed. A wrong credential, topic or
/// environment makes every token look dead, and to believe it would empty the registry.
///
/// The evidence is ``TrustEvidence``. It treats answers as independent, but dead tokens lie together: an old import
/// may be a run of any length. So a storm also takes more rejected tokens in a row than a sound account can have,
/// which is a share of all devices of the app (``mostDeadShare``). An account that was never proved stops after
/// ``mostUnprovedRun`` of them, however large the app is; a proved one never sooner than the share.
package struct StormRule: Equatable, Sendable {
    /// `stormRatio`. 1: no storm is ever declared.
    package var mostDeadShare: Double
    /// `stormMinimum`.
    package var fewestRejections: Int
    /// `holdDelay`.
    package var holdDelaySeconds: Int64

    package init(mostDeadShare: Double = 0.65, fewestRejections: Int = 100, holdDelaySeconds: Int64 = 86_400)
    {
        self.mostDeadShare = mostDeadShare
        self.fewestRejections = max(fewestRejections, 1)
        self.holdDelaySeconds = max(holdDelaySeconds, 0)
    }

    /// Answers that a window has at least while more are to come.
    static let windowAnswers = 200
    /// Rejected tokens in a row, in an account that never had a message accepted, after which the size of the app
    /// no longer matters.
    package static let mostUnprovedRun = 20_000
    /// A proved account needs so many times the rejected tokens.
    static let provedFactor = 10

    /// Judges while verdicts of the account are held.
    /// - Parameters:
    ///   - devices: how many devices the app has at most; nil: it is not known.
    ///   - isAtRest: no message is with a child and none waits, so that no answer will come soon.
    package func judge(_ evidence: TrustEvidence, devices: Int?, isAtRest: Bool) -> TrustJudgement {
        if isStorm(evidence, devices: devices ?? 0) { return .storm }
        guard isAtRest || evidence.accepted + evidence.aboutTokens >= Self.windowAnswers else { return .wait }
        return evidence.isBelievable ? .believe : .wait
    }

    private func isStorm(_ evidence: TrustEvidence, devices: Int) -> Bool {
        let needed = evidence.isProved ? TrustEvidence.stormOfProved : TrustEvidence.stormOfUnproved
        let run = evidence.run
        // Old and new imports by turns may exceed the normal share for a while, but not by so much.
        guard mostDeadShare < 1, evidence.storm >= needed, run.aboutTokens * 8 >= run.answers * 7 else {
            return false
        }
        let share = Int((Double(devices) * mostDeadShare).rounded(.up))
        let fewest =
            evidence.isProved
            ? max(Self.provedFactor * fewestRejections, share)
            : max(fewestRejections, min(share, Self.mostUnprovedRun))
        return run.aboutTokens >= fewest
    }

    /// What held verdicts wait for, if there is no storm.
    package enum Wait: Equatable, Sendable {
        /// The account never had enough messages accepted since its credential, topic or environment last changed.
        case decision
        /// The latest answers contradict that the account is sound.
        case acceptances
        /// Applied then, unless answers contradict them.
        case time(WallTime)
    }

    /// - Parameter since: when the oldest of them was given.
    package func wait(of evidence: TrustEvidence, since: WallMoment) -> Wait {
        guard evidence.isProved else { return .decision }
        return evidence.isContradicted
            ? .acceptances : .time(since.time.advanced(bySeconds: holdDelaySeconds))
    }
}
