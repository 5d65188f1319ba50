internal import PushModel

/// A verdict that waits, beside what is known of its subscription now.
struct HeldVerdict {
    var subscription: Int64
    var delivery: DeliveryID
    var reason: String
    var isDead: Bool
    var decided: WallMoment
    var deadSince: WallMoment?
    /// When the subscription last registered; nil: it has gone.
    var registered: WallTime?
    var isExcluded: Bool

    /// The verdicts of these rows, in their order.
    static func all(of rows: [VerdictRow], _ db: any Session) throws -> [HeldVerdict] {
        var all: [HeldVerdict] = []
        for row in rows {
            let subscriptions = ContiguousArray(row.entries.map { SubscriptionID(rawValue: $0.subscription) })
            var walk = try SubscriptionWalk(subscriptions, db, reading: SubscriptionWalk.registration)
            defer { walk.end() }
            for entry in row.entries {
                let present = try walk.seek(SubscriptionID(rawValue: entry.subscription))
                all.append(
                    HeldVerdict(
                        subscription: entry.subscription, delivery: row.head.delivery,
                        reason: row.head.reason,
                        isDead: row.head.gravity == TokenVerdict.Gravity.dead.rawValue,
                        decided: row.head.decided,
                        deadSince: entry.deadSince,
                        registered: present.map { WallTime(secondsSince1970: $0.integer(1)) },
                        isExcluded: present.map { $0.integer(2) != 0 } ?? false))
            }
        }
        return all
    }

    /// Whether the subscription is there and has not registered since. Registrations are known to the second:
    /// one in the very second of the verdict came before it, because a later one would have deleted it.
    var holds: Bool {
        guard let registered else { return false }
        return registered <= decided.time && registered <= (deadSince ?? decided).time
    }
}
