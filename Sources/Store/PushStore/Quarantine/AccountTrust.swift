package import PushModel

/// The store's knowledge of an account's answers: the evidence that decides whether verdicts about tokens are
/// believed, and the waiting verdicts.
package struct AccountTrust: Equatable, Sendable {
    package var mark: AccountKey
    package var evidence = TrustEvidence()
    /// Whether a gateway has ever accepted a message from this account with this credential.
    package var hasAccepted: Bool
    /// The number of verdicts that are held back until a decision is made.
    package var waiting: Int
    /// The time since which the account's verdicts have looked like a storm; `nil` if they do not look like
    /// one.
    package var stormSince: WallMoment?
    /// The time of the account's first answer.
    package var firstSeen: WallMoment
    /// The maximum number of devices that the app can have: the last sequence number that was assigned to a
    /// subscription. Sequence numbers are consecutive and never reused. This value is read only if there may
    /// be a storm.
    package var devices: Int?

    package init(
        mark: AccountKey, hasAccepted: Bool = false, waiting: Int = 0, stormSince: WallMoment? = nil,
        firstSeen: WallMoment
    ) {
        self.mark = mark
        self.hasAccepted = hasAccepted
        self.waiting = waiting
        self.stormSince = stormSince
        self.firstSeen = firstSeen
    }

    /// Whether the master or an operator has something to decide.
    package var needsDecision: Bool { waiting > 0 || stormSince != nil }

    /// - Parameter answers: The answers of one transaction.
    package mutating func count(_ answers: AccountAnswers) {
        if answers.accepted > 0 { hasAccepted = true }
        evidence.count(answers)
    }

    mutating func findDevices(_ db: any Session) throws {
        guard evidence.mayBeStorm, let app = mark.app else { return }
        devices = try db.value(
            Int.self, sql: "SELECT last_sequence FROM app WHERE id = ?1", arguments: [app.rawValue])
    }
}

extension AccountTrust {
    static let columns = """
        id, mark, accepted, about_tokens, has_accepted, waiting, storm_ms, first_seen_ms, proved, \
        storm_evidence,
        run_about_tokens, run_answers, doubt, dead_per_million
        """

    init(row: Row) throws {
        self.init(
            mark: AccountKey(rawValue: try row["mark"]), hasAccepted: try row["has_accepted"],
            waiting: try Self.count(row["waiting"]),
            stormSince: (try row["storm_ms"] as Int64?).map(WallMoment.init(millisecondsSince1970:)),
            firstSeen: WallMoment(millisecondsSince1970: try row["first_seen_ms"]))
        evidence.accepted = try Self.count(row["accepted"])
        evidence.aboutTokens = try Self.count(row["about_tokens"])
        evidence.isProved = try row["proved"]
        evidence.storm = try Self.count(row["storm_evidence"])
        evidence.run = TrustEvidence.Run(
            aboutTokens: try Self.count(row["run_about_tokens"]),
            answers: try Self.count(row["run_answers"]))
        evidence.doubt = try Self.count(row["doubt"])
        evidence.deadPerMillion = min(try Self.count(row["dead_per_million"]), 1_000_000)
    }

    /// Limits a stored count to a possible value, so that a sum with a damaged count does not overflow.
    private static func count(_ stored: Int) -> Int { max(0, min(stored, TrustEvidence.most)) }
}
