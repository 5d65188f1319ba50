package import PushModel
internal import PushQueue

extension StatisticsReader {
    /// Returns the devices to which a delivery was sent, by the properties that they reported last. Reads
    /// part by part; a million devices take seconds. Devices that have been deleted since count as
    /// unspecified.
    package func devices(of delivery: DeliveryID) throws(StoreError) -> [DeviceFigure] {
        var kinds = DeviceKinds()
        var last: PartID?
        while true {
            let step = try connection.read("count a delivery's devices", of: delivery) { db in
                let table = PartTable(db: db)
                guard let stored = try table.parts(of: delivery, after: last, limit: 1).first else {
                    return (part: PartID?.none, kinds: DeviceKinds())
                }
                let indices = ContiguousArray(0..<stored.count).filter {
                    stored.progress.states.status(at: $0)?.state == .sent
                }
                let sent = try table.members(of: stored.part).subscriptions(at: ContiguousArray(indices))
                var kinds = DeviceKinds()
                try kinds.count(sent.map(\.rawValue), of: stored.part.app, db)
                return (part: stored.part.id, kinds: kinds)
            }
            guard let part = step.part else { return kinds.figures }
            kinds += step.kinds
            last = part
        }
    }

    /// Returns figures about an app's subscribers. Reads page by page.
    package func subscribers(of app: AppID) throws(StoreError) -> SubscriberFigures {
        let range = SubscriptionRange(app)
        var figures = SubscriberFigures()
        var kinds = DeviceKinds()
        var cursor = range.beforeFirst
        while true {
            let start = cursor
            let page = try connection.read("count subscribers") { db in
                let statement = try db.statement(HotSQL.subscribersWithDevices(db.dialect))
                defer { statement.reset() }
                statement.bind(start, at: 1)
                statement.bind(range.last, at: 2)
                statement.bind(Int64(Self.subscribersPerPage), at: 3)
                var page = SubscriberFigures()
                var kinds = DeviceKinds()
                var last: Int64?
                while try statement.next() {
                    last = max(last ?? 0, statement.integer(0))
                    page.add(disabled: statement.integer(1), createdSeconds: statement.integer(2))
                    if statement.integer(1) == StateCode.valid { kinds.add(statement, from: 3, of: app) }
                }
                return (figures: page, kinds: kinds, last: last)
            }
            figures += page.figures
            kinds += page.kinds
            guard let last = page.last else { break }
            cursor = last
        }
        figures.devices = kinds.figures
        return figures
    }

    private static let subscribersPerPage = 2_400
}

/// An app's subscribers.
package struct SubscriberFigures: Equatable, Sendable {
    package var valid = 0
    package var quarantined = 0
    package var disabled = 0
    package var optedOut = 0
    /// The number of first registrations on each day. The keys are days since 1970 in UTC. Only subscribers
    /// that still exist are counted.
    package var days: [Int64: Int] = [:]
    /// The devices of the valid subscribers.
    package var devices: [DeviceFigure] = []

    fileprivate mutating func add(disabled code: Int64, createdSeconds: Int64) {
        add(1, in: code)
        days[max(0, createdSeconds) / 86_400, default: 0] += 1
    }

    /// - Parameter code: A value of `subscription.disabled`.
    mutating func add(_ subscribers: Int, in code: Int64) {
        switch code {
        case StateCode.valid: valid += subscribers
        case StateCode.quarantined: quarantined += subscribers
        case StateCode.optedOut: optedOut += subscribers
        default: disabled += subscribers
        }
    }

    fileprivate static func += (left: inout Self, right: Self) {
        left.valid += right.valid
        left.quarantined += right.quarantined
        left.disabled += right.disabled
        left.optedOut += right.optedOut
        left.days.merge(right.days, uniquingKeysWith: +)
    }
}

/// Collects devices for ``DeviceFigure``s.
private struct DeviceKinds {
    private struct Kind: Hashable {
        var app: AppID
        var osName = ""
        var osVersion = ""
        var language = ""
    }

    private var counts: [Kind: Int] = [:]

    /// The figures, most frequent first.
    var figures: [DeviceFigure] {
        counts.map {
            DeviceFigure(
                app: $0.app, osName: $0.osName, osVersion: $0.osVersion, language: $0.language, count: $1)
        }.sorted {
            ($1.count, $0.app, $0.osName, $0.osVersion, $0.language)
                < ($0.count, $1.app, $1.osName, $1.osVersion, $1.language)
        }
    }

    mutating func count(_ subscriptions: [Int64], of app: AppID, _ db: any Session) throws {
        guard !subscriptions.isEmpty else { return }
        try Batch(db, one: HotSQL.deviceByID, many: HotSQL.devicesByID).rowOfEach(subscriptions) {
            $1.bind($0, at: 1)
        } row: { _, row in
            if let row { add(row, from: 0, of: app) } else { add(Kind(app: app), 1) }
        }
    }

    /// - Parameter column: The first of three columns: system, version, language.
    mutating func add(_ row: any Statement, from column: Int32, of app: AppID) {
        func text(_ column: Int32) -> String {
            unsafe row.isNull(column) ? "" : String(decoding: row.bytes(column), as: UTF8.self)
        }
        add(
            Kind(app: app, osName: text(column), osVersion: text(column + 1), language: text(column + 2)), 1)
    }

    static func += (left: inout Self, right: Self) {
        for (kind, count) in right.counts { left.add(kind, count) }
    }

    private mutating func add(_ kind: Kind, _ count: Int) {
        let isKnown = counts[kind] != nil || counts.count < StatisticsReader.maxKinds
        counts[isKnown ? kind : Kind(app: kind.app), default: 0] += count
    }
}

extension HotSQL {
    /// ?1 subscription.
    static let deviceByID = "SELECT os_name, os_version, language FROM device WHERE subscription_id = ?1"

    /// PostgreSQL only: ?1 subscriptions. Returns one row for each, in no particular order.
    static let devicesByID = """
        SELECT d.os_name, d.os_version, d.language FROM unnest(CAST(?1 AS BIGINT[])) AS g (id)
            LEFT JOIN LATERAL (SELECT * FROM device WHERE subscription_id = g.id LIMIT 1) d ON TRUE
        """

    /// ?1 the subscription before the first one, ?2 the last one, ?3 limit. Returns the next subscriptions in
    /// no particular order. A server that is free to choose the kind of join would read all devices for each
    /// page.
    static func subscribersWithDevices(_ dialect: SQLDialect) -> String {
        let device =
            switch dialect {
            case .sqlite: "LEFT JOIN device d ON d.subscription_id = page.id"
            case .postgreSQL:
                "LEFT JOIN LATERAL (SELECT * FROM device WHERE subscription_id = page.id LIMIT 1) d ON TRUE"
            }
        return """
            SELECT page.id, page.disabled, page.created_at, d.os_name, d.os_version, d.language
            FROM (
                SELECT id, disabled, created_at FROM subscription
                WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3) AS page \(device)
            """
    }
}
