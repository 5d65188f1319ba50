package import PushModel

/// What the store knows of an account's answers: the evidence on which verdicts about tokens are believed or
/// not.
///
/// **What the counts mean.** They run from the last decision (the account was believed, or a storm resolved
/// to its end). Of the acceptances before the first answer that calls a token bad, at most
/// ``rememberedAcceptances`` are kept: enough for a share to be worked out at once, too few for a long
/// healthy past to hide a storm, and an account whose every answer is an acceptance is not written at all
/// once it has them. From the transaction with the first bad answer on, everything counts.
package struct AccountTrust: Equatable, Sendable {
    package var mark: AccountKey
    /// Answers that accepted a message, since the last decision.
    package var accepted: Int
    /// Answers that called a token bad, since the last decision.
    package var aboutTokens: Int
    /// The same of the window before: of what the last few answers are the end.
    package var acceptedBefore = 0
    package var aboutTokensBefore = 0
    /// Whether this account with this credential ever had a message accepted.
    package var hasAccepted: Bool
    /// Held verdicts that wait for a decision.
    package var waiting: Int
    /// Since when its verdicts look like a storm; nil: they do not.
    package var stormSince: WallMoment?
    /// When it first answered.
    package var firstSeen: WallMoment

    package static let rememberedAcceptances = 200

    package init(
        mark: AccountKey, accepted: Int = 0, aboutTokens: Int = 0, hasAccepted: Bool = false,
        waiting: Int = 0,
        stormSince: WallMoment? = nil, firstSeen: WallMoment
    ) {
        self.mark = mark
        self.accepted = accepted
        self.aboutTokens = aboutTokens
        self.hasAccepted = hasAccepted
        self.waiting = waiting
        self.stormSince = stormSince
        self.firstSeen = firstSeen
    }

    /// Whether the master has something to decide, or an operator.
    package var needsDecision: Bool { waiting > 0 || stormSince != nil }

    /// Forgets answers from before a rest: they say nothing of the tokens that are asked about now. Those
    /// stay that came with verdicts which nobody could judge yet.
    package mutating func beginAnew() {
        (acceptedBefore, aboutTokensBefore) = (0, 0)
        if waiting == 0, stormSince == nil { (accepted, aboutTokens) = (0, 0) }
    }

    /// - Parameters: what came with one transaction.
    package mutating func count(accepted more: Int, aboutTokens bad: Int) {
        if more > 0 { hasAccepted = true }
        if aboutTokens == 0 && bad == 0 {
            accepted = max(accepted, min(accepted + more, Self.rememberedAcceptances))
        } else {
            accepted += more
            aboutTokens += bad
        }
    }
}

extension AccountTrust {
    static let columns = """
        id, mark, accepted, about_tokens, accepted_before, about_tokens_before, has_accepted, waiting, storm_ms,
        first_seen_ms
        """

    init(row: Row) throws {
        self.init(
            mark: AccountKey(rawValue: try row["mark"]), accepted: try Self.count(row["accepted"]),
            aboutTokens: try Self.count(row["about_tokens"]), hasAccepted: try row["has_accepted"],
            waiting: try Self.count(row["waiting"]),
            stormSince: (try row["storm_ms"] as Int64?).map(WallMoment.init(millisecondsSince1970:)),
            firstSeen: WallMoment(millisecondsSince1970: try row["first_seen_ms"]))
        acceptedBefore = try Self.count(row["accepted_before"])
        aboutTokensBefore = try Self.count(row["about_tokens_before"])
    }

    /// No account has answered so often, and none less than never: a damaged count must not end who adds to
    /// it.
    private static func count(_ stored: Int) -> Int { max(0, min(stored, 1 << 40)) }
}
