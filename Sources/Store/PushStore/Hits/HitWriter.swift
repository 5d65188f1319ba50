internal import PushModel

/// Writes down what devices report.
///
/// A row has all that was reported of a message: a click says that it was received, too. What is reported
/// again is counted and changes nothing else. The tally has the first ones by minute; it is a sum of the rows
/// (``HitRecount``) until these go with their messages.
package struct HitWriter: Sendable {
    /// What one call takes.
    package static let hitsPerCall = 1_000
    /// What one report may change: its row, and a figure of the tally for each kind.
    static let rowsOfHit = 3

    let connection: Connection

    /// - Parameter hits: at most ``hitsPerCall``, in any order.
    /// - Returns: what became of each. Of several of one kind about one message the earliest is the first.
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

/// Hits that are written together: one row for each message.
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

    /// What has gone since it was looked up is not to come again.
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
    ///   - receipts: as the store has them now, likewise clicks.
    private mutating func settle(_ row: HitRow, receipts: Int64, clicks: Int64, _ figures: inout HitFigures) {
        let (oldReceipts, oldClicks) = (receipts - row.receipts, clicks - row.clicks)
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

/// What is reported of one message at once.
private struct HitRow {
    struct Key: Hashable {
        var delivery: Int64
        var number: Int64
    }

    let delivery: DeliveryID
    let number: Int64
    let app: AppID
    /// Of the first, whatever it reports.
    let receivedMilliseconds: Int64
    private(set) var receipts: Int64 = 0
    private(set) var clickedMilliseconds: Int64?
    private(set) var clicks: Int64 = 0
    /// In the order of their moments.
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
    /// ?1 delivery: whether its messages are there.
    static let takesHits = "SELECT 1 FROM delivery WHERE id = ?1 AND removed_ms IS NULL"

    /// ?1 delivery, ?2 number, ?3 when it was received, ?4 how often that was reported, ?5 when it was clicked,
    /// ?6 likewise. Gives what is reported of it altogether.
    static let noteHit = """
        INSERT INTO hit (delivery_id, number, received_ms, receipts, clicked_ms, clicks)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) \(addHit) RETURNING receipts, clicks
        """

    /// Of PostgreSQL alone: the same of many, each message once; the least number for what was not clicked.
    static let noteHits = """
        INSERT INTO hit (delivery_id, number, received_ms, receipts, clicked_ms, clicks)
        SELECT g.delivery, g.number, g.received, g.receipts, nullif(g.clicked, CAST('\(Int64.min)' AS BIGINT)), g.clicks
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[]), CAST(?3 AS BIGINT[]), CAST(?4 AS BIGINT[]),
            CAST(?5 AS BIGINT[]), CAST(?6 AS BIGINT[])) AS g (delivery, number, received, receipts, clicked, clicks)
        WHERE TRUE \(addHit) RETURNING delivery_id, number, receipts, clicks
        """

    private static let addHit = """
        ON CONFLICT (delivery_id, number) DO UPDATE SET receipts = hit.receipts + excluded.receipts,
            clicked_ms = coalesce(hit.clicked_ms, excluded.clicked_ms), clicks = hit.clicks + excluded.clicks
        """
}
