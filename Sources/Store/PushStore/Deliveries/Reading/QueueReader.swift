package import PushModel
internal import PushQueue

/// One app's waiting messages in the store.
package struct AppQueue: Equatable, Sendable {
    package var app: AppID
    /// Messages that were never tried, or are not yet recorded as tried.
    package var pending: Int
    /// Messages that were tried and will be tried again.
    package var retrying: Int
    /// Messages of paused deliveries, tried or not, and messages that are held back until a given time. These
    /// messages are in no other figure, because no user waits for them.
    package var paused: Int
    /// The earliest time from which a delivery with waiting messages could have been sent; `nil` if only
    /// paused messages wait.
    package var oldest: WallMoment?
    /// The time when the first of the tried messages is due; `nil` if there is none.
    package var nextDue: WallTime?
}

/// Counts waiting messages. It reads one row for each open part; a million messages are stored in about 200
/// parts. It counts the prepared messages, not those that are still to be prepared.
package struct QueueReader: Sendable {
    let connection: Connection

    /// Returns the queues of apps with waiting messages, ordered by the apps' numbers. Each page is a
    /// separate transaction, so that no other process waits for a long one.
    package func queues() throws(StoreError) -> [AppQueue] {
        var sums = Sums()
        while !sums.isWhole { try connection.read("count waiting messages") { db in try sums.addPage(db) } }
        return sums.queues
    }

    /// Returns the number of deliveries that have not ended, by state.
    package func deliveries() throws(StoreError) -> [DeliveryState: Int] {
        try connection.read("count deliveries") { db in
            var counts: [DeliveryState: Int] = [:]
            let sql = """
                SELECT state, max(stop_ms), count(*) FROM delivery WHERE \(DeliveryRow.isLive)
                GROUP BY state, stop_ms IS NULL
                """
            for row in try db.rows(sql: sql) {
                counts[try DeliveryRow.state(row[0], stop: row[1])] = try row[2]
            }
            return counts
        }
    }
}

/// The counts so far.
private struct Sums {
    private struct Sum {
        var waiting = 0
        var retrying = 0
        var paused = 0
        var since: Int64?
        var nextDue: Int64?
    }
    private struct Key: Hashable {
        var delivery, app: Int64
    }

    private static let partsPerPage = 1_000
    private var ofApp: [Int64: Sum] = [:]
    private var seen: Set<Key> = []
    private var last: (delivery: Int64, part: Int64) = (0, 0)
    private(set) var isWhole = false

    var queues: [AppQueue] {
        ofApp.sorted { $0.key < $1.key }.map { app, sum in
            // A result that is recorded between the reading of two pages may affect only one of the two
            // figures.
            AppQueue(
                app: AppID(rawValue: app), pending: max(sum.waiting - sum.retrying, 0),
                retrying: min(sum.retrying, sum.waiting), paused: sum.paused,
                oldest: sum.since.map(WallMoment.init(millisecondsSince1970:)),
                nextDue: sum.nextDue.map(WallTime.init(secondsSince1970:)))
        }
    }

    mutating func addPage(_ db: any Session) throws {
        let rows = try db.rows(
            sql: HotSQL.waitingParts, arguments: [last.delivery, last.part, Self.partsPerPage])
        for row in rows {
            last = (try row[0], try row[1])
            let key = Key(delivery: last.delivery, app: try row[2])
            let since = try row[4] as Int64? ?? 0
            var sum = ofApp[key.app] ?? Sum()
            // A damaged row may contain any value, and no value may crash the process.
            let waiting = min(max(try row[3], 0), PartLimits.messages)
            if try row[6] as Int64? == 1 {
                sum.paused += waiting
                ofApp[key.app] = sum
                continue
            }
            sum.waiting += waiting
            sum.since = min(sum.since ?? since, since)
            if let due = try row[5] as Int64? { sum.nextDue = min(sum.nextDue ?? due, due) }
            if seen.insert(key).inserted {
                let retrying = try db.value(
                    Int.self, sql: HotSQL.retryingOfApp, arguments: [key.delivery, key.app])
                sum.retrying += min(max(retrying ?? 0, 0), Int(Int32.max))
            }
            ofApp[key.app] = sum
        }
        isWhole = rows.count < Self.partsPerPage
    }
}

extension HotSQL {
    /// (?1, ?2): the delivery and the part after which to continue; ?3: the limit. Returns the parts with
    /// waiting messages, the time from which their delivery could have been sent, and whether the delivery is
    /// paused or the part is held back.
    static let waitingParts = """
        SELECT q.delivery_id, q.part_id, q.app_id, q.waiting,
            (SELECT CASE WHEN d.start_at * 1000 > d.created_ms THEN d.start_at * 1000 ELSE d.created_ms END
                FROM delivery d WHERE d.id = q.delivery_id), q.next_due,
            (SELECT CASE WHEN p.state = 'paused' OR q.held_until IS NOT NULL THEN 1 ELSE 0 END
                FROM delivery p WHERE p.id = q.delivery_id)
        FROM part_progress q WHERE q.is_open = 1 AND (q.delivery_id, q.part_id) > (?1, ?2)
        ORDER BY q.delivery_id, q.part_id LIMIT ?3
        """

    /// ?1: the delivery; ?2: the app.
    static let retryingOfApp = """
        SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM tally
        WHERE delivery_id = ?1 AND app_id = ?2 AND state = \(StateCode.retrying)
        """
}
