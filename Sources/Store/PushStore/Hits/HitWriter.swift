internal import PushModel

/// Records what devices report.
///
/// A row contains everything that was reported about a message; a click implies that the message was
/// received. Repeated reports are counted and change nothing else. The tally contains the number of first
/// reports in each minute, and the number of repeated reports. It agrees with the rows
/// (``recount(_:parts:)``) until these are deleted together with their messages.
package struct HitWriter: Sendable {
    /// The maximum number of hits in one call.
    package static let hitsPerCall = 1_000
    /// The number of rows that one report may change: its own row, and a figure of the tally for each kind.
    static let rowsOfHit = 3

    let connection: Connection

    /// - Parameter hits: At most ``hitsPerCall``, in any order.
    /// - Returns: The result of each hit, in the order of `hits`. If there are several reports of one kind
    ///   about one message, the earliest of them counts as the first.
    package func record(_ hits: [HitRecord]) throws(StoreError) -> [HitEnd] {
        guard hits.count <= Self.hitsPerCall else {
            let what = "one call records at most \(Self.hitsPerCall) hits, not \(hits.count)"
            throw StoreError(.limitReached(what: what), path: connection.path)
        }
        return try connection.write("record hits") { db in
            let wanted = try WantedEvents(db)
            var batch = HitBatch(hits)
            try batch.dropRemoved(db)
            try batch.write(db)
            try HitEvents(hits, batch.firsts).write(wanted, db)
            return batch.ends
        }
    }
}

/// Hits that are written together, in one row for each message.
private struct HitBatch {
    private(set) var ends: [HitEnd]
    private(set) var firsts: [HitFirst] = []
    private let hits: [HitRecord]
    private var rows: [HitRow] = []

    init(_ hits: [HitRecord]) {
        self.hits = hits
        ends = Array(repeating: .repeated, count: hits.count)
        let order = hits.indices.sorted {
            let (left, right) = (hits[$0], hits[$1])
            return (left.delivery.rawValue, left.number, left.at, $0)
                < (right.delivery.rawValue, right.number, right.at, $1)
        }
        for index in order {
            let hit = hits[index]
            if let last = rows.last, last.delivery == hit.delivery, last.number == hit.number {
                rows[rows.count - 1].add(hit, index)
            } else {
                rows.append(HitRow(hit, index))
            }
        }
    }

    /// Drops the hits of messages that were removed since they were looked up, so that their rows are not
    /// created again.
    mutating func dropRemoved(_ db: any Session) throws {
        let statement = try db.statement(HotSQL.takesHits)
        var (delivery, isThere) = (DeliveryID?.none, false)
        for index in rows.indices {
            if rows[index].delivery != delivery {
                delivery = rows[index].delivery
                statement.bind(rows[index].delivery.rawValue, at: 1)
                defer { statement.reset() }
                isThere = try statement.next()
            }
            if !isThere { rows[index].isDropped = true }
        }
        for row in rows where row.isDropped { for index in row.indices { ends[index] = .removed } }
        rows.removeAll(where: \.isDropped)
    }

    mutating func write(_ db: any Session) throws {
        guard !rows.isEmpty else { return }
        var figures = HitFigures()
        let places = Dictionary(uniqueKeysWithValues: rows.indices.map { (rows[$0].key, $0) })
        var settled = 0
        try Batch(db, one: HotSQL.noteHit, many: HotSQL.noteHits).rows(of: rows, from: 2) {
            places[HitRow.Key(delivery: $0.integer(0), number: $0.integer(1))]
        } bind: { row, parameters in
            row.bind(to: parameters)
        } row: { row, found, column in
            settle(row, receipts: found.integer(column), clicks: found.integer(column + 1), &figures)
            settled += 1
        }
        guard settled == rows.count else { throw UnreadableValue() }
        try figures.write(db)
    }

    /// - Parameters:
    ///   - receipts: The total number of receipts in the store, including those in the row.
    ///   - clicks: The total number of clicks in the store, including those in the row.
    private mutating func settle(_ row: HitRow, receipts: Int64, clicks: Int64, _ figures: inout HitFigures) {
        let (oldReceipts, oldClicks) = (receipts - row.receipts, clicks - row.clicks)
        figures.addRepeated(
            row.app, row.delivery, receipts: (oldReceipts, receipts), clicks: (oldClicks, clicks))
        if oldReceipts == 0, oldClicks == 0 {
            figures.add(row.app, row.delivery, .received, minuteOf: row.receivedMilliseconds)
            if let index = row.indices.first {
                if hits[index].kind == .received { ends[index] = .first }
                firsts.append(HitFirst(kind: .received, hit: index))
            }
        }
        if oldClicks == 0, let clicked = row.clickedMilliseconds {
            figures.add(row.app, row.delivery, .clicked, minuteOf: clicked)
            if let index = row.indices.first(where: { hits[$0].kind == .clicked }) {
                ends[index] = .first
                firsts.append(HitFirst(kind: .clicked, hit: index))
            }
        }
    }
}

/// The reports about one message that are recorded together.
private struct HitRow {
    struct Key: Hashable {
        var delivery: Int64
        var number: Int64
    }

    let delivery: DeliveryID
    let number: Int64
    let app: AppID
    /// The time of the first report, whether it reports a receipt or a click.
    let receivedMilliseconds: Int64
    private(set) var receipts: Int64 = 0
    private(set) var clickedMilliseconds: Int64?
    private(set) var clicks: Int64 = 0
    /// The positions of the reports, in order of time.
    private(set) var indices: [Int] = []
    var isDropped = false

    var key: Key { Key(delivery: delivery.rawValue, number: number) }

    init(_ hit: HitRecord, _ index: Int) {
        (delivery, number, app) = (hit.delivery, hit.number, hit.app)
        receivedMilliseconds = hit.at.millisecondsSince1970
        add(hit, index)
    }

    mutating func add(_ hit: HitRecord, _ index: Int) {
        indices.append(index)
        switch hit.kind {
        case .received: receipts += 1
        case .clicked:
            clicks += 1
            clickedMilliseconds = clickedMilliseconds ?? hit.at.millisecondsSince1970
        }
    }

    func bind(to statement: any Parameters) {
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(number, at: 2)
        statement.bind(receivedMilliseconds, at: 3)
        statement.bind(receipts, at: 4)
        statement.bind(clickedMilliseconds, at: 5)
        statement.bind(clicks, at: 6)
    }
}

extension HotSQL {
    /// ?1: the delivery. Returns a row if its messages exist.
    static let takesHits = "SELECT 1 FROM delivery WHERE id = ?1 AND removed_ms IS NULL"

    /// ?1: the delivery; ?2: the number; ?3: the time of receipt; ?4: the number of receipts reported; ?5:
    /// the time of the click; ?6: the number of clicks reported. Returns the totals for the message.
    static let noteHit = """
        INSERT INTO hit (delivery_id, number, received_ms, receipts, clicked_ms, clicks)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) \(addHit) RETURNING receipts, clicks
        """

    /// PostgreSQL only: records the hits of many messages, each message once. The smallest integer stands for
    /// a message that was not clicked.
    static let noteHits = """
        INSERT INTO hit (delivery_id, number, received_ms, receipts, clicked_ms, clicks)
        SELECT g.delivery, g.number, g.received, g.receipts, nullif(g.clicked, CAST('\(Int64.min)' AS \
        BIGINT)), g.clicks
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[]), CAST(?3 AS BIGINT[]), CAST(?4 AS BIGINT[]),
            CAST(?5 AS BIGINT[]), CAST(?6 AS BIGINT[])) AS g (delivery, number, received, receipts, clicked,
            clicks)
        WHERE TRUE \(addHit) RETURNING delivery_id, number, receipts, clicks
        """

    private static let addHit = """
        ON CONFLICT (delivery_id, number) DO UPDATE SET receipts = hit.receipts + excluded.receipts,
            clicked_ms = coalesce(hit.clicked_ms, excluded.clicked_ms), clicks = hit.clicks + excluded.clicks
        """
}
