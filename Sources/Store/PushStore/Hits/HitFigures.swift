internal import PushModel

/// The number of messages whose receipt or click was reported for the first time, by delivery, app, kind and
/// minute. The figures are either the contents of the rows of `hit_tally`, or increases to the counts in
/// these rows.
struct HitFigures: Equatable {
    struct Key: Hashable {
        var delivery: DeliveryID
        var app: AppID
        var kind: HitKind
        /// The minute since 1970.
        var minute: Int64
    }

    private(set) var counts: [Key: Int64] = [:]

    mutating func add(
        _ app: AppID, _ delivery: DeliveryID, _ kind: HitKind, minuteOf milliseconds: Int64, count: Int64 = 1
    ) {
        let key = Key(delivery: delivery, app: app, kind: kind, minute: Self.minute(of: milliseconds))
        counts[key, default: 0] += count
    }

    /// Divides as SQL does. No device reports a moment before 1970.
    static func minute(of milliseconds: Int64) -> Int64 { max(0, milliseconds) / 60_000 }

    /// Adds the figures to the rows of `hit_tally`.
    func write(_ db: any Session) throws {
        guard !counts.isEmpty else { return }
        let statement = try db.statement(HotSQL.addToHitTally)
        for (key, count) in counts {
            statement.bind(key.delivery.rawValue, at: 1)
            statement.bind(key.app.rawValue, at: 2)
            statement.bind(key.kind.rawValue, at: 3)
            statement.bind(key.minute, at: 4)
            statement.bind(count, at: 5)
            try statement.run()
        }
    }

    /// Reads the rows of a delivery. A row with an impossible value is left out.
    static func read(of delivery: DeliveryID, _ db: any Session) throws -> HitFigures {
        let statement = try db.statement(HotSQL.hitTally)
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        var figures = HitFigures()
        while try statement.next() {
            guard let kind = HitKind(rawValue: statement.integer(1)),
                (1...Int64(Int32.max)).contains(statement.integer(3))
            else {
                continue
            }
            let key = Key(
                delivery: delivery, app: AppID(rawValue: statement.integer(0)), kind: kind,
                minute: statement.integer(2))
            figures.counts[key] = statement.integer(3)
        }
        return figures
    }
}

extension HotSQL {
    /// ?1: the delivery; ?2: the app; ?3: the kind; ?4: the minute; ?5: the increase.
    static let addToHitTally = """
        INSERT INTO hit_tally (delivery_id, app_id, kind, minute, count) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (delivery_id, app_id, kind, minute) DO UPDATE SET count = hit_tally.count + ?5
        """

    /// ?1: the delivery.
    static let hitTally = """
        SELECT app_id, kind, minute, count FROM hit_tally WHERE delivery_id = ?1 ORDER BY app_id, kind, minute
        """
}
