/// The limits of an account, according to its gateway's rules and the operator's settings.
package struct AccountLimits: Sendable {
    /// The quota that the gateway grants; `nil` if the engine applies no limit.
    package var quota: TokenBucket?
    /// The number of messages of this account that a child may have in the account's own capacity; `nil` if
    /// the account shares the child's capacity with other accounts.
    package var ownCapacity: Int?
    /// How long the account's work may be due without a good answer before this is reported, not including
    /// the additional time for a low quota.
    package var stallPatienceSeconds = StallCause.patienceSeconds
    /// Whether the gateway reports a bad token immediately but confirms a good one only by silence. If so, a
    /// message that has no answer when its connection ends was probably accepted.
    package var acceptancesArriveLate = false

    package init(quota: TokenBucket? = nil, ownCapacity: Int? = nil) {
        self.quota = quota
        self.ownCapacity = ownCapacity
    }

    /// - Parameter ratePerSecond: The rate that the account's quota allows; `nil` if the account has no
    ///   quota. With a quota of only a few messages per minute, a minute without an answer is not
    ///   significant.
    package func stallPatienceSeconds(ratePerSecond: Double?) -> Int64 {
        stallPatienceSeconds + (ratePerSecond.map { Int64(2 / max($0, 0.001)) } ?? 0)
    }
}
