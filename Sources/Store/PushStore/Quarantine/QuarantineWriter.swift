package import PushModel

/// The result of one call of ``QuarantineWriter``.
package struct ReleaseStep: Equatable, Sendable {
    /// The number of subscriptions that were excluded and are valid again.
    package var released = 0
    /// The number of valid subscriptions whose errors were forgotten.
    package var forgiven = 0
    /// Whether another call has work to do.
    package var hasMore = false
    package init() {}

    package static func += (left: inout Self, right: Self) {
        left.released += right.released
        left.forgiven += right.forgiven
        left.hasMore = right.hasMore
    }
}

/// A subscription that an operator has put into quarantine.
package struct QuarantinedByHand: Equatable, Sendable {
    package var userKey: String
    /// ``QuarantineState/quarantined`` or ``QuarantineState/disabled``.
    package var state: QuarantineState
    /// Whether the call changed the subscription; `false` if deliveries already left the subscription out.
    package var isChanged: Bool
}

/// Puts subscriptions into quarantine for an operator, and makes them valid again. Releasing a subscription
/// forgets its errors and the waiting verdicts about it. A release is not a registration: if a gateway later
/// reports that the token has been dead since a time before the release, that report is believed.
package struct QuarantineWriter: Sendable {
    /// The maximum number of subscriptions per call. Each one may touch several rows.
    package static let subscriptionsPerCall = 1_000

    let connection: Connection

    /// Puts the app's subscription with this token into quarantine. A subscription that deliveries already
    /// leave out does not change.
    /// - Parameter reason: The operator's reason, stored in place of a gateway's reason code.
    /// - Returns: `nil` if the token is unknown.
    package func add(
        _ app: AppID, token: String, reason: String, at now: WallMoment
    ) throws(StoreError) -> QuarantinedByHand? {
        try connection.write("put a device into quarantine") { db in
            let row = try db.row(
                sql: HotSQL.findByToken, arguments: [app.rawValue, StoredToken.value(of: token)])
            guard let row else { return nil }
            let (id, disabled): (Int64, Int64) = (try row["id"], try row["disabled"])
            let isOptedOut = disabled == StateCode.optedOut
            let excluded = isOptedOut ? try Self.excludingState(of: id, db) : disabled
            var device = QuarantinedByHand(
                userKey: try row["user_key"], state: .quarantined, isChanged: excluded == StateCode.valid)
            guard device.isChanged else {
                device.state = try QuarantineState.known(excluded)
                return device
            }
            let errors = try db.row(sql: HotSQL.errorsOfToken, arguments: [id])
            if !isOptedOut {
                try db.execute(
                    sql: HotSQL.quarantineSubscription, arguments: [id, QuarantineState.quarantined.rawValue])
            }
            try db.execute(
                sql: HotSQL.noteError,
                arguments: [
                    id, QuarantineState.quarantined.rawValue, try errors?["errors"] ?? Int64(0),
                    try errors?["last_error_at"] ?? now.time.secondsSince1970, now.time.secondsSince1970,
                    QuarantineSource.byHand.rawValue, reason, nil as Int64?,
                ])
            try QuarantineEvents(byHand: id, reason: reason).write(at: now, db)
            return device
        }
    }

    /// Returns the state that the subscription has apart from an opt-out, as a value of `disabled`.
    static func excludingState(of subscription: Int64, _ db: any Session) throws -> Int64 {
        try db.value(
            Int64.self,
            sql: "SELECT state FROM quarantine WHERE subscription_id = ?1 AND \(StateCode.isExcluding)",
            arguments: [subscription]) ?? StateCode.valid
    }

    /// Releases the app's subscriptions with these tokens, at most ``subscriptionsPerCall``. Refuses a
    /// greater number. Unknown tokens and tokens without errors change nothing.
    package func release(_ app: AppID, tokens: [String]) throws(StoreError) -> ReleaseStep {
        guard tokens.count <= Self.subscriptionsPerCall else {
            let what = "one call releases at most \(Self.subscriptionsPerCall) tokens, not \(tokens.count)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("release from quarantine") { db in
            let lift = try QuarantineLift(db)
            var step = ReleaseStep()
            for token in tokens {
                let id = try db.value(
                    Int64.self, sql: HotSQL.findByToken,
                    arguments: [app.rawValue, StoredToken.value(of: token)])
                if let id { try lift.release(id, into: &step) }
            }
            return step
        }
    }

    /// Releases a user's subscriptions, up to the maximum of one call.
    package func release(_ app: AppID, userKey: String) throws(StoreError) -> ReleaseStep {
        try release(
            """
            SELECT s.id FROM user_key k JOIN subscription s ON s.id = k.subscription_id
                LEFT JOIN quarantine q ON q.subscription_id = s.id
            WHERE k.app_id = ?1 AND k.user_key = ?2 AND s.user_key = k.user_key
                AND (s.disabled NOT IN (\(StateCode.valid), \(StateCode.optedOut))
                    OR q.subscription_id IS NOT NULL)
            ORDER BY k.subscription_id LIMIT ?3
            """, [app.rawValue, userKey])
    }

    /// Releases all of the app's subscriptions that have errors, up to the maximum of one call.
    package func releaseAll(of app: AppID) throws(StoreError) -> ReleaseStep {
        let range = SubscriptionRange(app)
        return try release(
            "SELECT subscription_id FROM quarantine WHERE subscription_id BETWEEN ?1 AND ?2 LIMIT ?3",
            [range.first, range.last])
    }

    private func release(_ selection: String, _ arguments: [any SQLConvertible]) throws(StoreError)
        -> ReleaseStep
    {
        try connection.write("release from quarantine") { db in
            let ids = try db.values(
                Int64.self, sql: selection, arguments: arguments + [Self.subscriptionsPerCall])
            let lift = try QuarantineLift(db)
            var step = ReleaseStep()
            for id in ids { try lift.release(id, into: &step) }
            step.hasMore = ids.count == Self.subscriptionsPerCall
            return step
        }
    }
}
