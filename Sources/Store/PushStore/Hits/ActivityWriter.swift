internal import PushModel
internal import PushQueue

/// Records when subscribers were last active. A click is evidence of activity. A receipt is not, because it
/// shows only that the device is on. Registrations have their own time, with which this time is combined when
/// it is read.
///
/// The times are in a table of their own, which reports and registrations do not touch. They are written
/// later, and only if they are at least an hour later than the stored time.
package struct ActivityWriter: Sendable {
    /// The maximum number of clicks in one call. Each click may concern a different part, which must be read.
    package static let clicksPerCall = 100
    /// The minimum difference, in seconds, between a stored time and the time that replaces it.
    static let precision = 3_600

    let connection: Connection

    /// - Parameter clicks: Reports of clicks. Reports beyond ``clicksPerCall`` are ignored, and so are those
    ///   about messages or subscriptions that no longer exist.
    package func record(_ clicks: [HitRecord]) throws(StoreError) {
        let sorted = clicks.prefix(Self.clicksPerCall).sorted { $0.message < $1.message }
        try connection.write("record activity") { db in
            let latest = try Self.latest(sorted, db).sorted { $0.key < $1.key }
            guard !latest.isEmpty else { return }
            // Always in the same order, so that two hosts never wait for each other in a deadlock.
            try Batch(db, one: HotSQL.noteActivity, many: HotSQL.noteActivities).run(latest) {
                $1.bind($0.key, at: 1)
                $1.bind($0.value, at: 2)
            }
        }
    }

    /// Returns the time of the latest click, in seconds, by subscription.
    private static func latest(_ sorted: [HitRecord], _ db: any Session) throws -> [Int64: Int64] {
        let table = PartTable(db: db)
        var latest: [Int64: Int64] = [:]
        var rest = sorted[...]
        while let first = rest.first {
            let part: Part
            let members: PartMembers
            do {
                guard let stored = try table.part(of: first.message) else {
                    rest = rest.dropFirst()
                    continue
                }
                (part, members) = (stored.part, try table.members(of: stored.part))
            } catch is DamagedPart {
                rest = rest.dropFirst()
                continue
            }
            let own = rest.prefix { part.messages.contains($0.message) }
            rest = rest.dropFirst(max(own.count, 1))
            for click in own {
                guard let index = part.index(of: click.message),
                    let subscription = members.subscription(at: index)?.rawValue
                else { continue }
                latest[subscription] = max(latest[subscription] ?? 0, click.at.time.secondsSince1970)
            }
        }
        return latest
    }
}

extension HotSQL {
    /// ?1: the subscription; ?2: the time.
    static let noteActivity = """
        INSERT INTO activity (subscription_id, active_at)
        SELECT id, CAST(?2 AS BIGINT) FROM subscription WHERE id = ?1 \(laterActivity)
        """

    /// PostgreSQL only: the same for many subscriptions.
    static let noteActivities = """
        INSERT INTO activity (subscription_id, active_at)
        SELECT s.id, g.seconds
        FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[])) AS g (id, seconds)
            CROSS JOIN LATERAL (SELECT id FROM subscription WHERE id = g.id LIMIT 1) s
        WHERE TRUE \(laterActivity)
        """

    private static let laterActivity = """
        ON CONFLICT (subscription_id) DO UPDATE SET active_at = excluded.active_at
        WHERE excluded.active_at >= activity.active_at + \(ActivityWriter.precision)
        """
}
