internal import PushModel
internal import PushQueue

/// How many messages of a delivery stand where, by app, cause and minute. What is pending has no row: it is what was
/// prepared (`delivery.last_ordinal`) and stands nowhere else. Within the caller's transaction.
struct TallyTable {
    let db: any Session

    func add(_ tallies: TallyByApp, of delivery: DeliveryID) throws {
        guard !tallies.entries.isEmpty else { return }
        let statement = try db.statement(HotSQL.addToTally)
        statement.bind(delivery.rawValue, at: 1)
        for entry in tallies.entries {
            statement.bind(entry.app.rawValue, at: 2)
            for figure in entry.tally.entries where figure.key.state != .pending {
                statement.bind(figure.key.state.rawValue, at: 3)
                statement.bind(Int64(figure.key.cause.rawValue), at: 4)
                statement.bind(Int64(figure.key.minute), at: 5)
                statement.bind(Int64(figure.count), at: 6)
                try statement.run()
            }
        }
    }

    /// What stands in the rows, pending messages left out.
    func tallies(of delivery: DeliveryID) throws -> TallyByApp {
        let statement = try db.statement(HotSQL.tallies)
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        var tallies = TallyByApp()
        while try statement.next() {
            let (cause, minute) = (statement.integer(2), statement.integer(3))
            guard let state = MessageState(rawValue: statement.integer(1)), let code = UInt8(exactly: cause),
                let count = Int32(exactly: statement.integer(4)), UInt32(exactly: minute) != nil
            else { throw UnreadableValue() }
            var tally = Tally()
            tally.add(Int(count), to: TallyKey(state, cause: CauseCode(rawValue: code), minute: Int(minute)))
            tallies.add(tally, of: AppID(rawValue: statement.integer(0)))
        }
        return tallies
    }

    /// Puts these in the place of what stands in the rows.
    func replace(_ tallies: TallyByApp, of delivery: DeliveryID) throws {
        try db.execute(sql: "DELETE FROM tally WHERE delivery_id = ?1", arguments: [delivery.rawValue])
        try add(tallies, of: delivery)
    }

    /// The counts of deliveries, by state.
    /// - Parameter prepared: messages that each has in all.
    func counts(of prepared: [DeliveryID: Int64]) throws -> [DeliveryID: DeliveryCounts] {
        guard let first = prepared.keys.min(), let last = prepared.keys.max() else { return [:] }
        var counts = prepared.mapValues { _ in DeliveryCounts() }
        let statement = try db.statement(HotSQL.tallySums)
        defer { statement.reset() }
        statement.bind(first.rawValue, at: 1)
        statement.bind(last.rawValue, at: 2)
        while try statement.next() {
            let delivery = DeliveryID(rawValue: statement.integer(0))
            guard let state = MessageState(rawValue: statement.integer(1)) else { continue }
            counts[delivery]?.add(Int(statement.integer(2)), to: state)
        }
        for (delivery, number) in prepared { counts[delivery]?.close(prepared: number) }
        return counts
    }
}

extension DeliveryCounts {
    /// Whoever damaged the rows is told by a recount; a list shows what there is.
    fileprivate mutating func add(_ number: Int, to state: MessageState) {
        switch state {
        case .pending: break
        case .retrying: retrying &+= number
        case .sent: sent &+= number
        case .failed: failed &+= number
        case .cancelled: cancelled &+= number
        case .excluded: excluded &+= number
        }
    }

    /// What stands nowhere else is pending.
    fileprivate mutating func close(prepared: Int64) {
        let elsewhere = retrying &+ sent &+ failed &+ cancelled
        pending = Int(prepared) &- elsewhere &- excluded
        targeted = elsewhere &+ pending
    }
}

extension HotSQL {
    /// ?1 delivery.
    static let tallies = """
        SELECT app_id, state, cause, minute, count FROM tally WHERE delivery_id = ?1 AND count <> 0
        ORDER BY app_id, state, cause, minute
        """

    /// ?1…?2 deliveries.
    static let tallySums = """
        SELECT delivery_id, state, CAST(sum(count) AS BIGINT) FROM tally WHERE delivery_id BETWEEN ?1 AND ?2
        GROUP BY delivery_id, app_id, state
        """
}
