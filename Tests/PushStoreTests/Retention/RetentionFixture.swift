import PushModel
import PushStore
import Testing

/// Helpers for tests of retention: messages are kept for 30 days, and quarantined tokens for 90 days.
extension TemporaryStore {
    static let day: Int64 = 86_400
    static let retention = RetentionRules(messageDays: 30, quarantineSeconds: 90 * day)

    static func noon(afterDays days: Int64) -> WallMoment { noon.later(seconds: days * day) }

    /// Returns a delivery whose messages were all accepted.
    func finished(apps: [App], keeping days: Int? = nil, at now: WallMoment = noon) throws -> DeliveryID {
        let order = order(apps: apps) { $0.schedule.retentionDays = days }
        let id = try store.deliverySubmitter.submit(order, at: now)
        try acceptAll(try prepare(id, at: now).flatMap(\.ids), of: id, at: now)
        #expect(try state(id) == .finished)
        return id
    }

    /// Accepts messages, whatever their number.
    func acceptAll(_ messages: [MessageID], of delivery: DeliveryID, at now: WallMoment = noon) throws {
        for start in stride(from: 0, to: messages.count, by: 4_000) {
            try accept(Array(messages[start..<min(start + 4_000, messages.count)]), of: delivery, at: now)
        }
    }

    /// Sends all of these messages with ids from the gateway. Each id is a note.
    func sendWithIDs(_ messages: some Collection<MessageID>, of delivery: DeliveryID) throws {
        let messages = Array(messages)
        for start in stride(from: 0, to: messages.count, by: 2_000) {
            var batch = OutcomeBatch(delivery: delivery)
            batch.others = messages[start..<min(start + 2_000, messages.count)].map {
                MessageRecord(
                    message: $0, change: .sent(providerID: "projects/p/messages/\($0)"), countsAttempt: true)
            }
            _ = try store.outcomes.record([batch], at: Self.noon)
        }
    }

    /// Removes everything that is due. - Returns: The removals of each step.
    @discardableResult
    func retain(_ rules: RetentionRules = retention, at now: WallMoment) throws -> [RetentionSums] {
        var steps: [RetentionSums] = []
        for _ in 0..<1_000 {
            let kinds = try store.retention.look(rules, at: now).kinds
            if kinds.isEmpty { return steps }
            for kind in kinds {
                var hasMore = true
                while hasMore {
                    let step = try store.retentionWriter.step(kind, rules, at: now)
                    steps.append(step.removed)
                    hasMore = step.hasMore
                }
            }
        }
        Issue.record("retention does not end")
        return steps
    }

    func retainAll(_ rules: RetentionRules = retention, at now: WallMoment) throws -> RetentionSums {
        try retain(rules, at: now).reduce(into: RetentionSums()) { $0 += $1 }
    }

    func rows(_ table: String) throws -> Int {
        try #require(try query("SELECT CAST(count(*) AS TEXT) FROM \(table)").first.flatMap(Int.init))
    }
}
