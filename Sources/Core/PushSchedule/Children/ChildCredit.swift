package import PushModel

/// What one child holds of its capacity, and what each account may be granted more of it.
///
/// No account holds more than it leaves free to the others (the dynamic threshold of shared-memory switches:
/// Choudhury and Hahne, 1998): the first account may hold half the capacity, a second a quarter. All further
/// ones share an eighth, each taking at most half of what is left of it, down to single messages. The last
/// eighth is for priorities above normal, which hold no more than they leave free of all.
package struct ChildCredit: Sendable {
    /// Which part of the capacity a grant is taken from.
    package struct Share: Equatable, Sendable {
        package let account: AccountID
        /// Above normal priority.
        package let isUrgent: Bool
        /// False where the account has capacity of its own.
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

    /// Messages, granted and not yet committed, at most; what accounts have of their own comes on top.
    package let capacity: Int
    package private(set) var outstanding = 0
    /// Of the capacity that accounts share.
    private var shared = Held()
    private var heldOf: [AccountID: Held] = [:]
    /// Grants of suspects; with one, a child gets nothing else.
    package private(set) var suspects = 0
    package var isDraining = false

    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// An account that has ever been granted something has a connection here.
    package func knows(_ account: AccountID) -> Bool { heldOf[account] != nil }
    package func outstanding(of account: AccountID) -> Int { heldOf[account]?.all ?? 0 }
    package func holdsNothing(of account: AccountID) -> Bool { outstanding(of: account) == 0 }

    /// Messages that the account may be granted more; not above 0 where it has its share.
    /// - Parameter ownCapacity: nil: it shares the child's.
    package func credit(of account: AccountID, ownCapacity: Int?, isUrgent: Bool) -> Int {
        let held = heldOf[account] ?? Held()
        if let ownCapacity {
            let free = ownCapacity - held.all
            return isUrgent
                ? free : min(free, ownCapacity - DeliveryPriority.reserve(of: ownCapacity) - held.ordinary)
        }
        // Rounded up: a capacity of one must be good for something.
        return isUrgent ? (capacity - shared.all - held.urgent + 1) / 2 : ordinaryShare(held)
    }

    /// What an account that holds nothing may be granted of what accounts share; no account may have more,
    /// unless it is urgent.
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

    /// The account's number does not come back.
    package mutating func forget(_ account: AccountID) {
        if holdsNothing(of: account) { heldOf[account] = nil }
    }
}
