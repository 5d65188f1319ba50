internal import PushModel

/// How many messages were received and clicked for the first time, by delivery, app and minute: the rows of
/// `hit_tally`, or a change of them.
struct HitFigures: Equatable {
    struct Key: Hashable {
        var delivery: DeliveryID
        var app: AppID
        var kind: HitKind
        /// Since 1970.
        var minute: Int64
    }

    private(set) var counts: [Key: Int64] = [:]

    mutating func add(
        _ app: AppID, _ delivery: DeliveryID, _ kind: HitKind, minuteOf milliseconds: Int64, count: Int64 = 1
    ) {
        let key = Key(delivery: delivery, app: app, kind: kind, minute: Self.minute(of: milliseconds))
        counts[key, default: 0] += count
    }

    /// As SQL divides: a moment before 1970 is none that anybody reports.
    static func minute(of milliseconds: Int64) -> Int64 { max(0, milliseconds) / 60_000 }

    /// Adds them to what the rows say.
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

    /// What the rows of a delivery say; one that says what none can is left out.
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
    /// ?1 delivery, ?2 app, ?3 kind, ?4 minute, ?5 how many more.
    static let addToHitTally = """
        INSERT INTO hit_tally (delivery_id, app_id, kind, minute, count) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (delivery_id, app_id, kind, minute) DO UPDATE SET count = hit_tally.count + ?5
        """

    /// ?1 delivery.
    static let hitTally = """
        SELECT app_id, kind, minute, count FROM hit_tally WHERE delivery_id = ?1 ORDER BY app_id, kind, minute
        """
}
