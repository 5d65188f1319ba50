internal import PushModel
package import PushStore

/// Removes everything whose retention period has ended, in short steps, with or without a running master. A
/// running master does the same by itself. No data of a delivery that has not ended is removed.
package struct PurgeStore: Job {
    package static let name = "store.purge"
    package static let operation = Operation(
        .post, "/purge", .admin, "Removes data whose retention period has ended.", status: 202,
        reach: .instance)
    package static let members: [Member<Self>] = [
        .field(
            \.olderThanDays, "olderThanDays",
            """
            Remove messages of deliveries that ended more than this number of days ago, unless a \
            delivery has its own retention period.
            """,
            in: 1...DeliverySchedule.maxRetentionDays, absent: "nmac/@retentionDays"),
        .field(\.isDryRun, "dryRun", "Report what would be removed, but remove nothing.", default: false),
    ]
    package static let example = #"{"olderThanDays": 30, "dryRun": true}"#
    package var auditText: AuditText? {
        isDryRun ? nil : .of(olderThanDays.map { "older than \($0) days" } ?? "")
    }

    package private(set) var olderThanDays: Int?
    package private(set) var isDryRun = false

    package init() {}

    package init(olderThanDays: Int? = nil, isDryRun: Bool = false) {
        self.olderThanDays = olderThanDays
        self.isDryRun = isDryRun
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<JobProgress<PurgeView>>
    ) throws -> PurgeView {
        var rules = operations.retention
        if let olderThanDays { rules.messageDays = olderThanDays }
        let (store, now) = (operations.store, operations.clock.moment())
        let estimate = try store.retention.estimate(rules, at: now)
        if isDryRun { return PurgeView(estimate, rules, isDryRun: true) }
        var throttle = BulkWriteThrottle(operations)
        var sums = RetentionSums()
        while case let kinds = try store.retention.look(rules, at: now).kinds, let kind = kinds.first {
            var hasMore = true
            while hasMore {
                let step = try store.retentionWriter.step(kind, rules, at: now)
                sums += step.removed
                hasMore = step.hasMore
                watch.report(
                    JobProgress(
                        PurgeView(sums, rules, isDryRun: false), done: sums.rows,
                        of: max(sums.rows, estimate.rows)))
                try watch.proceed()
                throttle.pause()
            }
        }
        return PurgeView(sums, rules, isDryRun: false)
    }
}

/// The numbers of objects that were removed or, for a dry run, would be removed.
package struct PurgeView: View, Equatable {
    package static let about = [
        "userKeys": "user keys of subscribers that had already been removed",
        "retentionDays": "the retention period of messages, in days; null means unlimited",
    ]

    package var dryRun: Bool
    package var deliveries: Int
    package var messages: Int
    package var subscribers: Int
    package var verdicts: Int
    package var userKeys: Int
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
