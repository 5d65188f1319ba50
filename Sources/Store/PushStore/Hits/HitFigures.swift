internal import PushModel

/// The number of messages whose receipt or click was reported for the first time, by delivery, app, kind and
/// minute, and the number of repeated reports, by delivery, app and kind. The figures are either the contents
/// of the rows of `hit_tally`, or increases to the counts in these rows.
struct HitFigures: Equatable {
    /// The raw values are those of the store. Programs that do not know the kinds of repeated reports ignore
    /// their rows.
    enum Kind: Int64 {
        case received = 1
        case clicked = 2
        /// Reports of a receipt that was known. A receipt that a click implied and that is reported later is
        /// not a repetition.
        case receivedAgain = 3
        case clickedAgain = 4

        /// The kind of the first reports; `nil` if this is the kind of repeated reports.
        var first: HitKind? { HitKind(rawValue: rawValue) }
        /// The kind of the reports that are repeated; `nil` if this is the kind of first reports.
        var repeated: HitKind? {
            switch self {
            case .received, .clicked: nil
            case .receivedAgain: .received
            case .clickedAgain: .clicked
            }
        }
    }

    struct Key: Hashable {
        var delivery: DeliveryID
        var app: AppID
        var kind: Kind
        /// The minute since 1970; 0 for repeated reports, which are counted without their times.
        var minute: Int64
    }

    private(set) var counts: [Key: Int64] = [:]

    mutating func add(
        _ app: AppID, _ delivery: DeliveryID, _ kind: Kind, minuteOf milliseconds: Int64, count: Int64 = 1
    ) {
        let key = Key(delivery: delivery, app: app, kind: kind, minute: Self.minute(of: milliseconds))
        counts[key, default: 0] += count
    }

    /// Adds the repeated reports about one message.
    /// - Parameters:
    ///   - receipts: The numbers of reported receipts before and after these reports.
    ///   - clicks: The numbers of reported clicks before and after these reports.
    mutating func addRepeated(
        _ app: AppID, _ delivery: DeliveryID, receipts: (old: Int64, new: Int64),
        clicks: (old: Int64, new: Int64)
    ) {
        let figures = [(Kind.receivedAgain, receipts), (.clickedAgain, clicks)]
        for (kind, reports) in figures {
            let count = max(reports.new, 1) - max(reports.old, 1)
            if count > 0 { add(app, delivery, kind, minuteOf: 0, count: count) }
        }
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
            guard let kind = Kind(rawValue: statement.integer(1)),
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
