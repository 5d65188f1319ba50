package import PushModel
internal import PushQueue

/// Counts of the results of a delivery's messages. Pending messages are not included.
package struct DeliveryFigures: Equatable, Sendable {
    package struct Messages: Equatable, Sendable {
        package var app: AppID
        package var state: MessageState
        package var type: FailureType?
        package var reason: FailureReason?
        /// The gateway's reason, or the engine's own if the gateway was never asked; empty if there is none.
        package var word: String
        /// The minute since 1970 in which the messages reached this state.
        package var minute: Int64
        package var count: Int
    }
    package struct Hits: Equatable, Sendable {
        package var app: AppID
        package var kind: HitKind
        /// The minute since 1970 in which the hit was first reported.
        package var minute: Int64
        package var count: Int
    }
    package var messages: [Messages] = []
    package var hits: [Hits] = []
    package typealias NamedApp = (name: String, platform: Platform, environment: PushEnvironment)
    /// The numbers of repeated reports. They have no minutes.
    package var repeatedHits: [Hits] = []
    /// The names of apps, including deleted ones.
    package var apps: [AppID: NamedApp] = [:]
    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.messages == right.messages && left.hits == right.hits
            && left.repeatedHits == right.repeatedHits
            && left.apps.mapValues(\.name) == right.apps.mapValues(\.name)
    }
}

/// A kind of device, and the number of such devices.
package struct DeviceFigure: Hashable, Sendable {
    package var app: AppID
    /// The name of the operating system; empty if the device did not report it.
    package var osName: String
    package var osVersion: String
    package var language: String
    package var count: Int
}

/// Reads the data for statistics.
package struct StatisticsReader: Sendable {
    /// The maximum number of distinct kinds of devices. Devices of any further kind count as unspecified.
    package static let maxKinds = 1_000

    let connection: Connection

    /// Returns the figures from tallies. The cost does not depend on the number of messages, and the messages
    /// need no longer exist.
    package func figures(of delivery: DeliveryID) throws(StoreError) -> DeliveryFigures {
        try connection.read("read a delivery's statistics", of: delivery) { db in
            var figures = DeliveryFigures()
            var causes = CauseStore(delivery, db)
            for entry in try TallyTable(db: db).readableTallies(of: delivery).entries {
                for figure in entry.tally.entries {
                    let cause = figure.key.cause == .none ? nil : try causes[figure.key.cause]
                    figures.messages.append(
                        DeliveryFigures.Messages(
                            app: entry.app, state: figure.key.state, type: cause?.type,
                            reason: cause?.reason, word: cause?.word ?? "",
                            minute: Int64(figure.key.minute), count: figure.count))
                }
            }
            let hits = try HitFigures.read(of: delivery, db)
            figures.hits = hits.sorted { $0.first }
            figures.repeatedHits = hits.sorted { $0.repeated }
            figures.apps = try Self.apps(
                Set(figures.messages.map(\.app) + figures.hits.map(\.app)), db)
            return figures
        }
    }

    private static func apps(
        _ ids: Set<AppID>, _ db: any Session
    ) throws -> [AppID: DeliveryFigures.NamedApp] {
        var apps: [AppID: DeliveryFigures.NamedApp] = [:]
        for id in ids {
            let row = try db.row(
                sql: "SELECT name, platform, environment FROM app WHERE id = ?1", arguments: [id.rawValue])
            guard let row, let platform = Platform(rawValue: try row["platform"]),
                let environment = PushEnvironment(rawValue: try row["environment"])
            else { continue }
            apps[id] = (try row["name"], platform, environment)
        }
        return apps
    }

    /// Returns the numbers of received and clicked messages of many deliveries. Only the rows of these
    /// deliveries are read, however far apart their ids are.
    package func hits(of deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: [HitKind: Int]] {
        let ranges = Self.ranges(of: deliveries)
        guard !ranges.isEmpty else { return [:] }
        return try connection.read("read a delivery's statistics") { db in
            let statement = try db.statement(HotSQL.hitSums)
            var sums: [DeliveryID: [HitKind: Int]] = [:]
            for range in ranges {
                defer { statement.reset() }
                statement.bind(range.lowerBound, at: 1)
                statement.bind(range.upperBound, at: 2)
                while try statement.next() {
                    guard let kind = HitKind(rawValue: statement.integer(1)) else { continue }
                    let delivery = DeliveryID(rawValue: statement.integer(0))
                    sums[delivery, default: [:]][kind, default: 0] += Int(clamping: statement.integer(2))
                }
            }
            return sums
        }
    }

    /// Returns the ids as ranges without gaps, in order.
    private static func ranges(of deliveries: [DeliveryID]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for id in Set(deliveries.map(\.rawValue)).sorted() {
            if let last = ranges.last, last.upperBound == id - 1 {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }
}

extension HitFigures {
    /// Returns the figures of some kinds, by app, kind and minute.
    /// - Parameter kind: The kind of the reports that a figure counts; `nil` if the figure is left out.
    fileprivate func sorted(_ kind: (Kind) -> HitKind?) -> [DeliveryFigures.Hits] {
        counts.compactMap { key, count in
            kind(key.kind).map {
                DeliveryFigures.Hits(
                    app: key.app, kind: $0, minute: key.minute, count: Int(clamping: count))
            }
        }.sorted { ($0.app, $0.kind.rawValue, $0.minute) < ($1.app, $1.kind.rawValue, $1.minute) }
    }
}

extension HotSQL {
    /// ?1…?2 deliveries.
    static let hitSums = """
        SELECT delivery_id, kind, CAST(sum(CASE WHEN count BETWEEN 0 AND 2147483647 THEN count ELSE 0 END) \
        AS BIGINT)
        FROM hit_tally WHERE delivery_id BETWEEN ?1 AND ?2 GROUP BY delivery_id, app_id, kind
        """
}
