package import PushModel

/// The result of one call of ``OptOutWriter``.
package struct OptOutStep: Equatable, Sendable {
    /// The number of subscriptions whose state was changed.
    package var changed = 0
    /// The number of subscriptions that had the wanted state already.
    package var unchanged = 0
    package init() {}
}

/// Records opt-outs that an operator makes for a person, and lifts opt-outs at a person's request.
package struct OptOutWriter: Sendable {
    /// The maximum number of subscriptions per call. Each one may touch some dozen rows.
    package static let subscriptionsPerCall = 100

    let connection: Connection

    /// Sets whether the present users of these subscriptions have opted out.
    /// - Parameter subscriptions: At most ``subscriptionsPerCall``; a greater number is refused.
    ///   Subscriptions that no longer exist change nothing.
    package func set(
        _ isOptedOut: Bool, of subscriptions: [SubscriptionID], at now: WallMoment
    ) throws(StoreError) -> OptOutStep {
        guard subscriptions.count <= Self.subscriptionsPerCall else {
            let what =
                "one call sets the state of at most \(Self.subscriptionsPerCall) subscribers, "
                + "not \(subscriptions.count)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("set opt-outs") { db in
            let wanted = try WantedEvents(db)
            var (step, events) = (OptOutStep(), DeviceEvents())
            for id in subscriptions {
                guard let device = try OptOutDevice.find(id.rawValue, db) else { continue }
                guard device.isOptedOut != isOptedOut else {
                    step.unchanged += 1
                    continue
                }
                let table = OptOuts(db: db, app: device.app)
                let state: Int64
                if isOptedOut {
                    try table.add(
                        OptOuts.person(device.userKey), to: device.marks, by: .byHand, at: now.time)
                    state = StateCode.optedOut
                    events.note(.optedOut, [id.rawValue], by: .byHand)
                } else {
                    try table.lift(from: device.marks, for: device.userKey)
                    state = try QuarantineWriter.excludingState(of: id.rawValue, db)
                }
                try db.run(sql: HotSQL.quarantineSubscription, arguments: [id.rawValue, state])
                step.changed += 1
            }
            try events.write(wanted, at: now, db)
            return step
        }
    }

    /// Lifts the opt-outs of a token that no subscription has.
    /// - Returns: Whether there were any.
    package func lift(token: String, in app: AppID) throws(StoreError) -> Bool {
        try connection.write("lift an opt-out") { db in
            try OptOuts(db: db, app: app).forget(OptOuts.mark(ofToken: token, app)) > 0
        }
    }
}

/// A subscription, with the marks under which opt-outs of its device are stored.
struct OptOutDevice {
    var app: AppID
    var userKey: String
    var isOptedOut: Bool
    var marks: [Int64]

    /// - Returns: `nil` if the subscription does not exist.
    static func find(_ subscription: Int64, _ db: any Session) throws -> OptOutDevice? {
        let row = try db.row(
            sql: """
                SELECT s.token, s.user_key, s.disabled, d.mark
                FROM subscription s LEFT JOIN device d ON d.subscription_id = s.id WHERE s.id = ?1
                """,
            arguments: [subscription])
        guard let row else { return nil }
        let app = SubscriptionRange.app(of: subscription)
        let token = OptOuts.mark(ofToken: StoredToken.text(of: try row["token"]), app)
        let device: Int64? = try row["mark"]
        return OptOutDevice(
            app: app, userKey: try row["user_key"],
            isOptedOut: try row["disabled"] as Int64 == StateCode.optedOut,
            marks: [token] + (device.map { [$0] } ?? []))
    }
}
