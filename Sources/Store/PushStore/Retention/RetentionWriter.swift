package import PushModel
internal import PushSystem

/// Removes data whose retention time has passed. See also ``RetentionReader``.
///
/// **Promises.** One call is one short transaction. After an interruption, the next call finds what is left.
/// No data of a delivery that has not ended is removed.
package struct RetentionWriter: Sendable {
    /// The maximum number of rows that one call changes, not counting the subscribers' own verdicts.
    package static let rowsPerStep = 1_000

    let connection: Connection

    /// The result of one call.
    package struct Step: Equatable, Sendable {
        package var removed = RetentionSums()
        /// Whether another call may have work to do.
        package var hasMore = false
    }

    package func step(
        _ kind: RetentionKind, _ rules: RetentionRules, at now: WallMoment
    ) throws(StoreError) -> Step {
        switch kind {
        case .messages: try removeMessages(rules, at: now)
        case .subscribers: try removeSubscribers(rules, at: now)
        case .verdicts: try removeVerdicts(rules, at: now)
        case .names: try removeNames(rules, at: now)
        case .requests: try removeRequests(at: now)
        case .lists: try removeLists(at: now)
        case .sessions: try removeSessions(at: now)
        }
    }

    private func removeMessages(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove old messages") { db in
            var removal = MessageRemoval(db, rules, at: now)
            let hasMore = try removal.run()
            return Step(removed: removal.sums, hasMore: hasMore)
        }
    }

    /// Removes subscribers in the same way as ``SubscriberRemover``. A subscriber that has become valid again
    /// stays; only its quarantine row is deleted.
    private func removeSubscribers(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove subscribers after a long quarantine") { db in
            let limit = SubscriberRemover.subscriptionsPerCall
            let excluded = try Leftovers(db: db, rules: rules, now: now).subscribers(limit: limit)
            var step = Step()
            step.hasMore = excluded.count == limit
            for id in excluded {
                let isRemoved = try SubscriberRemover.remove(id, ifExcluded: true, at: now, db)
                if isRemoved { step.removed.subscribers += 1 }
                try db.execute(sql: "DELETE FROM quarantine WHERE subscription_id = ?1", arguments: [id])
            }
            return step
        }
    }

    private func removeVerdicts(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove old verdicts") { db in
            let leftovers = Leftovers(db: db, rules: rules, now: now)
            var step = Step()
            guard let account = try leftovers.accountWithVerdicts() else { return step }
            for (row, count) in try leftovers.verdicts(of: account, limit: Self.verdictRowsPerStep) {
                try db.execute(sql: HotSQL.deleteVerdicts, arguments: [row])
                try db.execute(sql: HotSQL.lowerWaiting, arguments: [account, count])
                step.removed.verdicts += count
            }
            step.hasMore = true
            return step
        }
    }

    private static let verdictRowsPerStep = 200

    private func removeNames(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove old user keys") { db in
            let leftovers = Leftovers(db: db, rules: rules, now: now)
            var step = Step()
            for id in try leftovers.names(limit: Self.rowsPerStep) {
                step.removed.names += try db.execute(
                    sql: "DELETE FROM removed_subscription WHERE id = ?1", arguments: [id])
            }
            step.hasMore = step.removed.names == Self.rowsPerStep
            return step
        }
    }

    /// Does not report a number, because keys have no effect once their day has passed.
    private func removeRequests(at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove old idempotency keys") { db in
            let old = try MessageIdempotency(db: db, now: now.time).old(limit: Self.rowsPerStep)
            for (scope, key) in old {
                try db.execute(
                    sql: "DELETE FROM idempotency WHERE scope = ?1 AND key = ?2", arguments: [scope, key])
            }
            return Step(hasMore: old.count == Self.rowsPerStep)
        }
    }

    /// Does not report a number, because the parts contain everything that the lists contained.
    private func removeLists(at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove lists of recipients") { db in
            let lists = RecipientLists(db: db)
            guard let list = try lists.superfluous(at: now) else { return Step() }
            _ = try lists.removePages(of: list)
            return Step(hasMore: true)
        }
    }

    /// Does not report a number, because an ended session has no effect.
    private func removeSessions(at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove ended sessions") { db in
            let removed = try ExpiredSessions(db: db, now: now).remove(limit: Self.rowsPerStep)
            return Step(hasMore: removed == Self.rowsPerStep)
        }
    }
}
