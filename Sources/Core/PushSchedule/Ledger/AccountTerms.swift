/// What an account may have, by its gateway's rules and the operator's settings.
package struct AccountTerms: Sendable {
    /// What the gateway grants; nil: no limit of ours.
    package var quota: TokenBucket?
    /// Messages that a child may hold of this account in capacity of its own; nil: it shares the child's with
    /// the others.
    package var ownCapacity: Int?

    package init(quota: TokenBucket? = nil, ownCapacity: Int? = nil) {
        self.quota = quota
        self.ownCapacity = ownCapacity
    }
}
