package import PushModel

/// Selects the deliveries that a list shows. A property that is `nil` excludes no delivery.
package struct DeliveryFilter: Equatable, Sendable {
    package var service: ServiceID?
    package var state: DeliveryState?
    /// The beginning of the label.
    package var label: String?
    /// The earliest time of submission.
    package var since: WallTime?
    /// The end of the period of submission: a delivery that was submitted at this time or later is not shown.
    package var until: WallTime?

    package init(
        service: ServiceID? = nil, state: DeliveryState? = nil, label: String? = nil, since: WallTime? = nil,
        until: WallTime? = nil
    ) {
        (self.service, self.state, self.label) = (service, state, label)
        (self.since, self.until) = (since, until)
    }

    /// - Parameter first: The number of the first SQL parameter.
    fileprivate func conditions(from first: Int) -> [(sql: String, argument: any SQLConvertible)] {
        let since = since.map { WallMoment($0).millisecondsSince1970 }
        let until = until.map { WallMoment($0).millisecondsSince1970 }
        let stop = state.flatMap { Self.stop[$0] } ?? ""
        let labelLength = label?.unicodeScalars.count ?? 0
        let wanted: [(sql: (Int) -> String, argument: (any SQLConvertible)?)] = [
            ({ "service_id = ?\($0)" }, service?.rawValue),
            ({ "state = ?\($0)\(stop)" }, (state == .stopping ? .paused : state)?.rawValue),
            ({ "substr(label, 1, \(labelLength)) = ?\($0)" }, label),
            ({ "created_ms >= ?\($0)" }, since),
            ({ "created_ms < ?\($0)" }, until),
        ]
        let given = wanted.compactMap { condition in condition.argument.map { (condition.sql, $0) } }
        return given.enumerated().map { place, condition in (condition.0(first + place), condition.1) }
    }

    /// A delivery that is being stopped is stored as a paused one.
    private static let stop: [DeliveryState: String] = [
        .paused: " AND stop_ms IS NULL", .stopping: " AND stop_ms IS NOT NULL",
    ]
}

extension DeliveryReader {
    /// The maximum number of deliveries that one call examines. It is limited because no index supports a
    /// filter.
    static let lookBack = 10_000
    /// How far the times of submission may deviate from the order of ids. They can deviate because hosts have
    /// separate clocks.
    private static let slackMilliseconds: Int64 = 3_600_000

    /// Returns deliveries, the newest first.
    /// - Parameters:
    ///   - before: The last id of the previous page.
    ///   - limit: At most 5 000.
    package func list(before: DeliveryID? = nil, limit: Int = 100) throws(StoreError) -> [DeliverySummary] {
        try page(before: before, limit: limit).deliveries
    }

    /// Returns deliveries, the newest first.
    /// - Parameters:
    ///   - before: `next` of the previous page.
    ///   - limit: At most 5 000.
    /// - Returns: `next`: the value of `before` for the next page; `nil` if this is the last page.
    package func page(
        before: DeliveryID? = nil, limit: Int, only filter: DeliveryFilter = DeliveryFilter()
    ) throws(StoreError) -> (deliveries: [DeliverySummary], next: DeliveryID?) {
        let limit = max(0, min(limit, Connection.maximumRows))
        return try connection.read("list deliveries") { db in
            var end = before?.rawValue ?? .max
            if let until = filter.until { end = min(end, try Self.end(ofThoseBefore: until, db)) }
            guard let window = try Self.window(before: end, db) else { return ([], nil) }
            let conditions = filter.conditions(from: 4)
            let wanted =
                ["id < ?1 AND id >= ?2"] + conditions.map(\.sql)
                + [bounds.condition("service_id")].compactMap(\.self)
            let rows = try db.rows(
                sql: """
                    \(DeliverySummary.selection) WHERE \
                    \(wanted.joined(separator: " AND "))
                    ORDER BY id DESC LIMIT ?3
                    """,
                arguments: [end, window.first, limit] + conditions.map(\.argument))
            let deliveries = try DeliverySummary.all(rows, db)
            if deliveries.count == limit { return (deliveries, deliveries.last?.id) }
            let isLast = window.isLast || Self.isBefore(filter.since, window.created)
            return (deliveries, isLast ? nil : DeliveryID(rawValue: window.first))
        }
    }

    private struct Window {
        /// The oldest delivery that is examined.
        var first: Int64
        var created: Int64
        var isLast: Bool
    }

    private static func window(before end: Int64, _ db: any Session) throws -> Window? {
        let row = try db.row(
            sql: """
                SELECT min(id), count(*) FROM (SELECT id FROM delivery WHERE id < ?1 ORDER BY id DESC LIMIT \
                ?2) AS page
                """,
            arguments: [end, lookBack])
        guard let row, let first: Int64 = try row[0] else { return nil }
        let created = try db.value(
            Int64.self, sql: "SELECT created_ms FROM delivery WHERE id = ?1", arguments: [first])
        return Window(first: first, created: created ?? 0, isLast: try row[1] < Int64(lookBack))
    }

    /// Reports whether the delivery that was created at `created`, and all older deliveries, were submitted
    /// before the filter's earliest time.
    private static func isBefore(_ since: WallTime?, _ created: Int64) -> Bool {
        since.map {
            created.clampedSum(slackMilliseconds) < WallMoment($0).millisecondsSince1970
        } ?? false
    }

    /// Returns an id that is greater than the id of every delivery that was submitted before the given time.
    private static func end(ofThoseBefore time: WallTime, _ db: any Session) throws -> Int64 {
        let latest = WallMoment(time).millisecondsSince1970.clampedSum(slackMilliseconds)
        var low: Int64 = 0
        var high = try db.value(Int64.self, sql: "SELECT max(id) FROM delivery") ?? 0
        while high - low > 100 {
            let middle = low + (high - low) / 2
            let created = try db.value(
                Int64.self,
                sql: "SELECT created_ms FROM delivery WHERE id <= ?1 ORDER BY id DESC LIMIT 1",
                arguments: [middle])
            if let created, created > latest { high = middle } else { low = middle }
        }
        return high + 1
    }
}
