package import PushModel

/// How much of a child's capacity is in use, and how many more messages each account may be granted.
///
/// No account is granted more than it leaves free for the other accounts (the dynamic threshold of
/// shared-memory switches: Choudhury and Hahne, 1998). The first account may have half of the capacity, and a
/// second account a quarter. All further accounts share an eighth; each takes at most half of the remainder
/// of that eighth, down to single messages. The last eighth is reserved for messages with a priority above
/// normal. Such messages of one account may take no more of the whole capacity than they leave free.
package struct ChildCredit: Sendable {
    /// The part of the capacity from which a grant is taken.
    package struct Share: Equatable, Sendable {
        package let account: AccountID
        /// Whether the priority is above normal.
        package let isUrgent: Bool
        /// Whether the grant takes capacity that accounts share; `false` if the account has its own capacity.
        package let isShared: Bool
        package init(account: AccountID, isUrgent: Bool, isShared: Bool) {
            self.account = account
            self.isUrgent = isUrgent
            self.isShared = isShared
        }
    }
    private struct Held: Sendable {
        var ordinary = 0
        var urgent = 0
        var all: Int { ordinary + urgent }

        mutating func add(_ count: Int, isUrgent: Bool) {
            if isUrgent { urgent += count } else { ordinary += count }
        }
    }

    /// The maximum number of messages that are granted and not yet committed. The capacity of accounts that
    /// have their own capacity is not included.
    package let capacity: Int
    package private(set) var outstanding = 0
    /// The messages in the part of the capacity that accounts share.
    private var shared = Held()
    private var heldOf: [AccountID: Held] = [:]
    /// The number of open grants of suspects. A child that has such a grant is granted nothing else.
    package private(set) var suspects = 0
    package var isDraining = false

    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// Reports whether the account was ever granted anything on this child, in which case the child has a
    /// connection for it.
    package func knows(_ account: AccountID) -> Bool { heldOf[account] != nil }
    package func outstanding(of account: AccountID) -> Int { heldOf[account]?.all ?? 0 }
    package func holdsNothing(of account: AccountID) -> Bool { outstanding(of: account) == 0 }

    /// Returns how many more messages the account may be granted. The result is not above 0 if the account
    /// already has its share.
    /// - Parameter ownCapacity: The account's own capacity; `nil` if the account shares the child's capacity.
    package func credit(of account: AccountID, ownCapacity: Int?, isUrgent: Bool) -> Int {
        let held = heldOf[account] ?? Held()
        if let ownCapacity {
            let free = ownCapacity - held.all
            return isUrgent
                ? free : min(free, ownCapacity - DeliveryPriority.reserve(of: ownCapacity) - held.ordinary)
        }
        // Rounded up, so that a capacity of one remains usable.
        return isUrgent ? (capacity - shared.all - held.urgent + 1) / 2 : ordinaryShare(held)
    }

    /// The number of messages that an account without messages on this child may be granted from the shared
    /// capacity. No account may be granted more, except for messages with a priority above normal.
    package var largestShare: Int { ordinaryShare(Held()) }

    private func ordinaryShare(_ held: Held) -> Int {
        let free = capacity - shared.all
        let left = min(free, capacity - DeliveryPriority.reserve(of: capacity) - shared.ordinary)
        let share = max((left - held.ordinary + 1) / 2, left - DeliveryPriority.reserve(of: capacity))
        return min((free - held.all + 1) / 2, share)
    }

    package mutating func take(_ count: Int, _ share: Share) {
        outstanding += count
        heldOf[share.account, default: Held()].add(count, isUrgent: share.isUrgent)
        if share.isShared { shared.add(count, isUrgent: share.isUrgent) }
    }

    package mutating func giveBack(_ count: Int, _ share: Share) { take(-count, share) }

    package mutating func suspectGranted() { suspects += 1 }
    package mutating func suspectEnded() { suspects -= 1 }

    /// Forgets the account. Its ID is not used again.
    package mutating func forget(_ account: AccountID) {
        if holdsNothing(of: account) { heldOf[account] = nil }
    }
}
