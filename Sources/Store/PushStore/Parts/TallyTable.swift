internal import PushModel
internal import PushQueue

/// The numbers of a delivery's messages in each state, by app, cause and minute. Pending messages have no
/// row: they are the prepared messages (`delivery.last_ordinal`) that are in no other state. The table is
/// read and written within the caller's transaction.
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

    /// Returns the content of the rows, without pending messages.
    func tallies(of delivery: DeliveryID) throws -> TallyByApp {
        let rows = try rows(of: delivery)
        guard rows.allSatisfy({ $0.figure != nil }) else { throw UnreadableValue() }
        return Self.tallies(rows)
    }

    /// Returns the content of the rows without impossible figures, for callers that show the available data.
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

    /// Returns the rows as they are stored, without any check.
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

    /// Replaces the rows with these tallies.
    func replace(_ tallies: TallyByApp, of delivery: DeliveryID) throws {
        try db.execute(sql: "DELETE FROM tally WHERE delivery_id = ?1", arguments: [delivery.rawValue])
        try add(tallies, of: delivery)
    }

    /// Returns the counts of deliveries, by state.
    /// - Parameter prepared: The total number of messages of each delivery.
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

    /// The figure; `nil` if the row contains an impossible value.
    var figure: (key: TallyKey, count: Int)? {
        guard let state = MessageState(rawValue: state), let code = UInt8(exactly: cause),
            let minute = UInt32(exactly: minute), let count = Int32(exactly: count), count >= 0
        else { return nil }
        return (TallyKey(state, cause: CauseCode(rawValue: code), minute: Int(minute)), Int(count))
    }
}

/// The counts of a delivery according to its tally.
struct TalliedCounts {
    private(set) var counts = DeliveryCounts()
    /// Whether all rows contain possible figures of a delivery. The counts omit impossible figures, so a list
    /// shows what is available. A recount corrects the rows.
    private(set) var isSound = true

    fileprivate mutating func add(_ number: Int64, to state: MessageState?, isSound: Bool) {
        if !isSound { self.isSound = false }
        switch state {
        case .retrying: counts.retrying += Int(number)
        case .sent: counts.sent += Int(number)
        case .failed: counts.failed += Int(number)
        case .cancelled: counts.cancelled += Int(number)
        case .excluded: counts.excluded += Int(number)
        // Pending messages have no row.
        case .pending, nil: self.isSound = false
        }
    }

    /// Counts as pending all messages that are in no other state.
    fileprivate mutating func close(prepared: Int64) {
        // The highest number that a part may have.
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

    /// ?1…?2 deliveries. Returns sums by state, and whether a row contains an impossible value
    /// (``TallyRow/figure``). Such a row adds nothing to the sums, so it cannot cause an overflow.
    static let tallySums = """
        SELECT delivery_id, state, CAST(sum(CASE WHEN count BETWEEN 0 AND 2147483647 THEN count ELSE 0 END) \
        AS BIGINT),
            max(CASE WHEN count BETWEEN 0 AND 2147483647 AND cause BETWEEN 0 AND 255
                AND minute BETWEEN 0 AND 4294967295 THEN 0 ELSE 1 END)
        FROM tally WHERE delivery_id BETWEEN ?1 AND ?2
        GROUP BY delivery_id, app_id, state
        """
}
