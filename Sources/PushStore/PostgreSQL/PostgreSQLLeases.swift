internal import Dispatch
internal import PushModel

/// Leases of parts in the table `part_lease`, by a connection of its own: nobody's write is waited for.
///
/// **The fence:** `channel` is used under `lock`.
final class PostgreSQLLeases: PartLeases, @unchecked Sendable {
    private let place: String
    private let term: HostTerm
    private let channel: PostgreSQLChannel
    private let lock = DispatchSemaphore(value: 1)

    /// Parts of an app with something due that are taken at once.
    private static let duePartsOfApp = 20
    private static let dueParts = 200

    init(place: String, term: HostTerm, channel: PostgreSQLChannel) {
        (self.place, self.term, self.channel) = (place, term, channel)
    }

    /// ?1 term.
    private static let isLive =
        "EXISTS (SELECT 1 FROM host h WHERE h.term = ?1 AND h.state IN ('serving', 'sending'))"

    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID> {
        guard !parts.isEmpty else { return [] }
        let list = Self.list(parts.map(\.rawValue))
        return try transaction("take parts") { db, term in
            // In one order, so that no two hosts wait for each other.
            try db.execute(
                sql: """
                    INSERT INTO part_lease (part_id, term)
                    SELECT q.part_id, ?1 FROM part_progress q
                    WHERE q.part_id = ANY (CAST(?2 AS BIGINT[])) AND q.is_open = 1 AND \(Self.isLive)
                    ORDER BY q.part_id ON CONFLICT (part_id) DO NOTHING
                    """,
                arguments: [term, list])
            let taken = try db.values(
                Int64.self,
                sql:
                    "SELECT part_id FROM part_lease WHERE part_id = ANY (CAST(?2 AS BIGINT[])) AND term = ?1",
                arguments: [term, list])
            return Set(taken.map(PartID.init(rawValue:)))
        }
    }

    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError) {
        try transaction("take parts with something due") { db, term in
            _ = try db.execute(
                sql: """
                    INSERT INTO part_lease (part_id, term)
                    SELECT d.part_id, ?1 FROM (
                        SELECT e.part_id FROM app a CROSS JOIN LATERAL (
                            SELECT q.part_id FROM part_progress q
                            WHERE q.app_id = a.id AND q.next_due IS NOT NULL AND q.next_due <= ?2
                                AND coalesce((SELECT d.state FROM delivery d WHERE d.id = q.delivery_id), '') <> 'paused'
                                AND NOT EXISTS (SELECT 1 FROM part_lease l WHERE l.part_id = q.part_id)
                            ORDER BY q.next_due, q.part_id
                            LIMIT CASE WHEN a.id = ANY (CAST(?6 AS BIGINT[])) THEN 1 ELSE ?3 END) e
                        WHERE a.id <> ALL (CAST(?5 AS BIGINT[])) LIMIT ?4) d
                    WHERE \(Self.isLive)
                    ORDER BY d.part_id ON CONFLICT (part_id) DO NOTHING
                    """,
                arguments: [
                    term, now.secondsSince1970, Self.duePartsOfApp, Self.dueParts,
                    Self.list(none.map(\.rawValue)), Self.list(few.map(\.rawValue)),
                ])
        }
    }

    func giveBack(of apps: [AppID]) throws(StoreError) {
        try transaction("give parts back") { db, term in
            _ = try db.execute(
                sql: """
                    DELETE FROM part_lease l USING part_progress q
                    WHERE l.term = ?1 AND q.part_id = l.part_id AND q.app_id = ANY (CAST(?2 AS BIGINT[]))
                    """,
                arguments: [term, Self.list(apps.map(\.rawValue))])
        }
    }

    func giveBack(unlessDueBy moment: WallTime) throws(StoreError) {
        try transaction("give parts back") { db, term in
            // Part by part, of this host's few: a join might begin with all that is open.
            _ = try db.execute(
                sql: """
                    DELETE FROM part_lease l WHERE l.term = ?1 AND NOT coalesce((
                        SELECT q.is_open = 1 AND (q.has_pending = 1 OR coalesce(q.next_due <= ?2, FALSE))
                        FROM part_progress q WHERE q.part_id = l.part_id), FALSE)
                    """,
                arguments: [term, moment.secondsSince1970])
        }
    }

    var ownTerm: Int64 { term.now ?? 0 }

    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>] {
        try holders("delivery_id", deliveries.map(\.rawValue)).reduce(into: [:]) {
            $0[DeliveryID(rawValue: $1.number), default: []].insert($1.term)
        }
    }

    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>] {
        try holders("app_id", apps.map(\.rawValue)).reduce(into: [:]) {
            $0[AppID(rawValue: $1.number), default: []].insert($1.term)
        }
    }

    private func holders(
        _ column: String, _ numbers: [Int64]
    ) throws(StoreError) -> [(number: Int64, term: Int64)] {
        guard !numbers.isEmpty else { return [] }
        return try transaction("look who has parts") { db, _ in
            try db.rows(
                sql: """
                    SELECT DISTINCT q.\(column), l.term FROM part_lease l JOIN part_progress q ON q.part_id = l.part_id
                    WHERE q.\(column) = ANY (CAST(?1 AS BIGINT[]))
                    """,
                arguments: [Self.list(numbers)]
            ).map { (number: try $0[0], term: try $0[1]) }
        }
    }

    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID] {
        guard !deliveries.isEmpty else { return [] }
        let list = Self.list(deliveries.map(\.rawValue))
        return try transaction("look for ended deliveries") { db, _ in
            try db.values(
                Int64.self,
                sql: """
                    SELECT g.id FROM unnest(CAST(?1 AS BIGINT[])) AS g (id)
                    WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.id = g.id AND \(DeliveryRow.isLive))
                    """,
                arguments: [list]
            ).map(DeliveryID.init(rawValue:))
        }
    }

    /// Numbers as the server reads an array.
    private static func list(_ numbers: [Int64]) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    private func transaction<Value>(
        _ what: String, _ body: (any Session, _ term: Int64) throws -> Value
    ) throws(StoreError) -> Value {
        lock.wait()
        defer { lock.signal() }
        do {
            let link = try channel.connected()
            // What is asked before it has entered is asked of nobody's parts.
            let term = term.now ?? 0
            return try link.transaction(.ownRows) { try body(PostgreSQLSession(link), term) }
        } catch {
            channel.leave(after: error)
            throw StoreError(postgreSQL: error, during: what, place: place)
        }
    }
}
