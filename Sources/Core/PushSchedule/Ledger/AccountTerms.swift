/// What an account may have, by its gateway's rules and the operator's settings.
package struct AccountTerms: Sendable {
    /// What the gateway grants; nil: no limit of ours.
    package var quota: TokenBucket?
    /// Messages that a child may hold of this account in capacity of its own; nil: it shares the child's with
    /// the others.
    package var ownCapacity: Int?
    /// How long the account's work may be due without a good answer before that is told, apart from its quota.
    package var stallPatienceSeconds = StallCause.patienceSeconds
    /// Whether a bad token is told at once and a good one only by silence: what has no answer when a connection ends
    /// was probably accepted.
    package var acceptancesArriveLate = false

    package init(quota: TokenBucket? = nil, ownCapacity: Int? = nil) {
        self.quota = quota
        self.ownCapacity = ownCapacity
    }

    /// - Parameter ratePerSecond: what its quota allows; nil: it has none. Below a few a minute a minute
    ///   without an answer says nothing.
    package func stallPatienceSeconds(ratePerSecond: Double?) -> Int64 {
        stallPatienceSeconds + (ratePerSecond.map { Int64(2 / max($0, 0.001)) } ?? 0)
    }
}
