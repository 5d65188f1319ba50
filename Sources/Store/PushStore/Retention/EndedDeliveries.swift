internal import PushModel

/// Deliveries that ended long ago, read within the caller's transaction.
struct EndedDeliveries {
    let db: any Session
    let rules: RetentionRules

    struct Next {
        var delivery: DeliveryID
        /// The time until which the delivery's messages are kept.
        var end: WallMoment
    }

    /// Returns the delivery whose messages must be removed first, now or in the future.
    func next() throws -> Next? {
        var first: Next?
        var days = try db.value(Int64.self, sql: HotSQL.nextRetention, arguments: [Int64.min])
        while let found = days {
            if let next = try next(keeping: found), first.map({ next.end < $0.end }) ?? true { first = next }
            days = try db.value(Int64.self, sql: HotSQL.nextRetention, arguments: [found])
        }
        return first
    }

    private func next(keeping days: Int64) throws -> Next? {
        guard let row = try db.row(sql: HotSQL.nextEnded, arguments: [days]) else { return nil }
        let finished = WallMoment(millisecondsSince1970: try row["finished_ms"])
        let end = rules.messagesKept(until: finished, days: days < 0 ? nil : Int(days))
        let delivery = DeliveryID(rawValue: try row["id"])
        return end.map { Next(delivery: delivery, end: $0) }
    }
}
