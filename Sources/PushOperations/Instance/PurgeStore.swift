internal import PushModel
package import PushStore

/// Removes now what has been kept for as long as it was to be, in short steps, beside a master or without one:
/// what a running master does by itself. Nothing of a delivery that has not ended is removed.
package struct PurgeStore: LongOperation, Audited {
    package static let name = "store.purge"
    package var auditText: AuditText? { .of(olderThanDays.map { "older than \($0) days" } ?? "") }

    /// Messages of deliveries that ended more days ago, in the place of the setting; deliveries with days of
    /// their own keep theirs. nil: as the setting says.
    package var olderThanDays: Int?
    /// Says what would be removed, and removes nothing.
    package var isDryRun: Bool

    package init(olderThanDays: Int? = nil, isDryRun: Bool = false) {
        self.olderThanDays = olderThanDays
        self.isDryRun = isDryRun
    }

    package func perform(in operations: Operations, watchedBy watch: Watch<RetentionSums>) throws -> PurgeView
    {
        var rules = operations.retention
        if let olderThanDays { rules.messageDays = olderThanDays }
        let (store, now) = (operations.store, operations.clock.moment())
        if isDryRun {
            return PurgeView(try store.retention.estimate(rules, at: now), rules, isDryRun: true)
        }
        var throttle = BulkWriteThrottle(operations)
        var sums = RetentionSums()
        while case let kinds = try store.retention.look(rules, at: now).kinds, let kind = kinds.first {
            var hasMore = true
            while hasMore {
                let step = try store.retentionWriter.step(kind, rules, at: now)
                sums += step.removed
                hasMore = step.hasMore
                watch.report(sums)
                try watch.proceed()
                throttle.pause()
            }
        }
        return PurgeView(sums, rules, isDryRun: false)
    }
}

/// What was removed, or would be.
package struct PurgeView: Codable, Equatable, Sendable {
    package var dryRun: Bool
    package var deliveries: Int
    package var messages: Int
    package var subscribers: Int
    package var verdicts: Int
    /// Of subscribers that were removed before.
    package var userKeys: Int
    /// For how long messages are kept; nil: for ever.
    package var retentionDays: Int?

    init(_ sums: RetentionSums, _ rules: RetentionRules, isDryRun: Bool) {
        dryRun = isDryRun
        (deliveries, messages) = (sums.deliveries, sums.messages)
        (subscribers, verdicts, userKeys) = (sums.subscribers, sums.verdicts, sums.names)
        retentionDays = rules.messageDays > 0 ? rules.messageDays : nil
    }

    package var isEmpty: Bool { sums.isEmpty }

    package var sums: RetentionSums {
        var sums = RetentionSums()
        (sums.deliveries, sums.messages) = (deliveries, messages)
        (sums.subscribers, sums.verdicts, sums.names) = (subscribers, verdicts, userKeys)
        return sums
    }
}
