internal import PushModel
internal import PushQueue

/// How many messages of a delivery stand where, by app, cause and minute. What is pending has no row: it is
/// what was prepared (`delivery.last_ordinal`) and stands nowhere else. Within the caller's transaction.
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
        let rows = try rows(of: delivery)
        guard rows.allSatisfy({ $0.figure != nil }) else { throw UnreadableValue() }
        return Self.tallies(rows)
    }

    /// The same without figures that cannot be: for whoever shows what there is.
    func readableTallies(of delivery: DeliveryID) throws -> TallyByApp {
        Self.tallies(try rows(of: delivery))
    }

    private static func tallies(_ rows: [TallyRow]) -> TallyByApp {
        var tallies = TallyByApp()
        for row in rows {
            guard let figure = row.figure else { continue }
            var tally = Tally()
            tally.add(figure.count, to: figure.key)
            tallies.add(tally, of: AppID(rawValue: row.app))
        }
        return tallies
    }

    /// The rows as they lie there, whatever they say.
    func rows(of delivery: DeliveryID) throws -> [TallyRow] {
        let statement = try db.statement(HotSQL.tallies)
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        var rows: [TallyRow] = []
        while try statement.next() {
            rows.append(
                TallyRow(
                    app: statement.integer(0), state: statement.integer(1), cause: statement.integer(2),
                    minute: statement.integer(3), count: statement.integer(4)))
        }
        return rows
    }

    /// Puts these in the place of what stands in the rows.
    func replace(_ tallies: TallyByApp, of delivery: DeliveryID) throws {
        try db.execute(sql: "DELETE FROM tally WHERE delivery_id = ?1", arguments: [delivery.rawValue])
        try add(tallies, of: delivery)
    }

    /// The counts of deliveries, by state.
    /// - Parameter prepared: messages that each has in all.
    func counts(of prepared: [DeliveryID: Int64]) throws -> [DeliveryID: TalliedCounts] {
        guard let first = prepared.keys.min(), let last = prepared.keys.max() else { return [:] }
        var counts = prepared.mapValues { _ in TalliedCounts() }
        let statement = try db.statement(HotSQL.tallySums)
        defer { statement.reset() }
        statement.bind(first.rawValue, at: 1)
        statement.bind(last.rawValue, at: 2)
        while try statement.next() {
            let delivery = DeliveryID(rawValue: statement.integer(0))
            counts[delivery]?.add(
                statement.integer(2), to: MessageState(rawValue: statement.integer(1)),
                isSound: statement.integer(3) == 0)
        }
        for (delivery, number) in prepared { counts[delivery]?.close(prepared: number) }
        return counts
    }
}

/// A row of the tally.
struct TallyRow: Equatable {
    let app: Int64
    let state: Int64
    let cause: Int64
    let minute: Int64
    let count: Int64

    /// nil where it says what no row can say.
    var figure: (key: TallyKey, count: Int)? {
        guard let state = MessageState(rawValue: state), let code = UInt8(exactly: cause),
            let minute = UInt32(exactly: minute), let count = Int32(exactly: count), count >= 0
        else { return nil }
        return (TallyKey(state, cause: CauseCode(rawValue: code), minute: Int(minute)), Int(count))
    }
}

/// A delivery's counts as its tally has them.
struct TalliedCounts {
    private(set) var counts = DeliveryCounts()
    /// Whether the rows can be what a delivery has come to. What cannot be is left out: a list shows what
    /// there is, and a recount mends it.
    private(set) var isSound = true

    fileprivate mutating func add(_ number: Int64, to state: MessageState?, isSound: Bool) {
        if !isSound { self.isSound = false }
        switch state {
        case .retrying: counts.retrying += Int(number)
        case .sent: counts.sent += Int(number)
        case .failed: counts.failed += Int(number)
        case .cancelled: counts.cancelled += Int(number)
        case .excluded: counts.excluded += Int(number)
        // It has no row.
        case .pending, nil: self.isSound = false
        }
    }

    /// What stands nowhere else is pending.
    fileprivate mutating func close(prepared: Int64) {
        // As many as a part may number.
        let all = Int(max(0, min(prepared, 1 << 40)))
        let elsewhere = counts.retrying + counts.sent + counts.failed + counts.cancelled
        if Int64(all) != prepared || elsewhere + counts.excluded > all { isSound = false }
        counts.pending = all - elsewhere - counts.excluded
        counts.targeted = elsewhere + counts.pending
    }
}

extension HotSQL {
    /// ?1 delivery.
    static let tallies = """
        SELECT app_id, state, cause, minute, count FROM tally WHERE delivery_id = ?1 AND count <> 0
        ORDER BY app_id, state, cause, minute
        """

    /// ?1…?2 deliveries: sums by state, and whether a row says what none can (``TallyRow/figure``). Such a
    /// row adds nothing: no row may stop the sums of the others by overflowing them.
    static let tallySums = """
        SELECT delivery_id, state, CAST(sum(CASE WHEN count BETWEEN 0 AND 2147483647 THEN count ELSE 0 END) AS BIGINT),
            max(CASE WHEN count BETWEEN 0 AND 2147483647 AND cause BETWEEN 0 AND 255
                AND minute BETWEEN 0 AND 4294967295 THEN 0 ELSE 1 END)
        FROM tally WHERE delivery_id BETWEEN ?1 AND ?2
        GROUP BY delivery_id, app_id, state
        """
}
