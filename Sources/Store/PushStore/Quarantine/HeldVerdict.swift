internal import PushModel

/// A waiting verdict, together with the current state of its subscription.
struct HeldVerdict {
    var subscription: Int64
    var delivery: DeliveryID
    var reason: String
    var isDead: Bool
    var decided: WallMoment
    var deadSince: WallMoment?
    /// The time at which the subscription last registered; `nil` if it was deleted.
    var registered: WallTime?
    var isExcluded: Bool

    /// Returns the verdicts of these rows, in their order.
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

    /// Whether the subscription exists and has not registered since the verdict. Registration times have a
    /// resolution of one second. A registration in the same second as the verdict came before it, because a
    /// later one would have deleted the verdict.
    var holds: Bool {
        guard let registered else { return false }
        return registered <= decided.time && registered <= (deadSince ?? decided).time
    }
}
