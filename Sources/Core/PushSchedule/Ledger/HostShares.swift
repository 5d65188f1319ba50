package import PushModel

/// How many hosts have parts of each delivery with a rate and of each account with a quota.
package struct PartHolders: Equatable, Sendable {
    package struct Holders: Equatable, Sendable {
        package var hosts: Int
        /// Whether this host is one of these hosts.
        package var includesThis: Bool

        package init(hosts: Int, includesThis: Bool) {
            (self.hosts, self.includesThis) = (hosts, includesThis)
        }
    }

    package var deliveries: [DeliveryID: Holders] = [:]
    package var accounts: [AccountID: Holders] = [:]

    package init() {}
}

/// This host's share of quotas and rates when several hosts send: an equal share for each host that has
/// something to send for the delivery or account.
///
/// **Promises.** The shares of all hosts add up to at most 1, except for a second or two after a host has
/// taken its first part of a delivery or account. Until the other hosts have noticed this, the share of that
/// host is so small that a rate is exceeded by less than 5 % over ten seconds. This requires that each host
/// reads once a second which parts the others have. A host that cannot read this uses the share that it would
/// have if all hosts had something to send.
struct HostShares: Sendable {
    private var live = 1
    private var held: PartHolders?
    /// The moments since which this host has had parts, keyed by delivery and by account.
    private var deliveries: [DeliveryID: MonotonicTime] = [:]
    private var accounts: [AccountID: MonotonicTime] = [:]

    /// The time after which all other hosts know that this host has begun to send for the delivery or
    /// account.
    private static let joiningMilliseconds: Int64 = 3_000
    /// Until the other hosts know that a host has begun to send, its share is this fraction of an equal share
    /// among all hosts.
    private static let joinersPart = 0.25

    mutating func shared(among hosts: Int) {
        live = max(hosts, 1)
        held = nil
    }

    mutating func learned(_ new: PartHolders, at now: MonotonicTime) {
        held = new
        deliveries = Self.since(new.deliveries, deliveries, now)
        accounts = Self.since(new.accounts, accounts, now)
    }

    private static func since<Key>(
        _ found: [Key: PartHolders.Holders], _ before: [Key: MonotonicTime], _ now: MonotonicTime
    ) -> [Key: MonotonicTime] {
        found.filter(\.value.includesThis).reduce(into: [:]) { $0[$1.key] = before[$1.key] ?? now }
    }

    func share(of delivery: DeliveryID, at now: MonotonicTime) -> Double {
        share(held?.deliveries[delivery], since: deliveries[delivery], at: now)
    }

    func share(of account: AccountID, at now: MonotonicTime) -> Double {
        share(held?.accounts[account], since: accounts[account], at: now)
    }

    private func share(
        _ holders: PartHolders.Holders?, since: MonotonicTime?, at now: MonotonicTime
    ) -> Double {
        guard live > 1 else { return 1 }
        let equal = 1 / Double(live)
        guard held != nil else { return equal }
        guard let holders, let since, now.milliseconds(since: since) >= Self.joiningMilliseconds else {
            return equal * Self.joinersPart
        }
        return 1 / Double(max(holders.hosts, 1))
    }
}
