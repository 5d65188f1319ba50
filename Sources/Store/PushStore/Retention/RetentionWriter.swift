package import PushModel
internal import PushSystem

/// Removes what has been kept for as long as it was to be. See also ``RetentionReader``.
///
/// **Promises.** One call is one short transaction, and what an interruption leaves the next call finds.
/// Nothing of a delivery that has not ended is removed.
package struct RetentionWriter: Sendable {
    /// What one call changes at most, but for the subscribers' own verdicts.
    package static let rowsPerStep = 1_000

    let connection: Connection

    /// What one call did.
    package struct Step: Equatable, Sendable {
        package var removed = RetentionSums()
        /// Whether another call may have something to do.
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
        }
    }

    private func removeMessages(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove old messages") { db in
            var removal = MessageRemoval(db, rules, at: now)
            let hasMore = try removal.run()
            return Step(removed: removal.sums, hasMore: hasMore)
        }
    }

    /// As ``SubscriberRemover`` does it. One who is valid all the same has no quarantine to end.
    private func removeSubscribers(_ rules: RetentionRules, at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove long quarantined subscribers") { db in
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

    /// Nobody is told: they are as good as gone when their day is over.
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

    /// Nobody is told: parts have what was in them.
    private func removeLists(at now: WallMoment) throws(StoreError) -> Step {
        try connection.write("remove lists of recipients") { db in
            let lists = RecipientLists(db: db)
            guard let list = try lists.superfluous(at: now) else { return Step() }
            _ = try lists.removePages(of: list)
            return Step(hasMore: true)
        }
    }
}
