package import PushModel
internal import PushQueue

/// The result of a recount.
package struct RecountResult: Equatable, Sendable {
    /// The counts of the previous tally.
    package var before: DeliveryCounts
    /// The counts according to the messages. The tally now contains these counts.
    package var after: DeliveryCounts
    /// The number of repaired parts, whose columns agree with their messages again.
    package var repairedParts: Int
    /// Whether the delivery had ended, but continues because some of its messages are still waiting.
    package var isReopened = false
    /// The remaining problem; `nil` if there is none, in which case the delivery is no longer on hold as
    /// damaged.
    package var problem: String?
    package var isRepaired: Bool { problem == nil }
}

extension DeliveryRepair {
    /// Makes a delivery's tally and the columns of its parts agree with its messages, and lets the delivery
    /// continue if nothing else was wrong. If rows are unreadable, they stay as they are, and the delivery
    /// stays on hold.
    ///
    /// Reads the messages part by part. Refuses an unknown delivery, and a delivery whose messages were
    /// removed. If the messages keep changing, for example because the delivery is being sent, the call
    /// throws an error that states this. The messages of a delivery on hold stop changing after a while.
    package func recount(_ delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> RecountResult {
        _ = try figures(of: delivery)
        let repaired = try repairParts(of: delivery)
        for _ in 0..<Self.maxTries {
            let before = try figures(of: delivery)
            var after: TallyByApp?
            let found: (prepared: Int64, problem: String?)
            do {
                after = try StoreInspection.tallies(in: reader, delivery).tallies
                let coverage = try PartCoverage.read(delivery, in: reader)
                found = (
                    coverage.prepared,
                    try problem(of: delivery) ?? coverage.problem(prepared: before.prepared)
                )
            } catch {
                guard error.remedy == .setAside else { throw error }
                found = (before.prepared, error.description)
            }
            let (prepared, problem) = found
            let end = try writer.write("recount a delivery", of: delivery) { db -> WriteEnd in
                guard try Self.figures(of: delivery, db) == before else { return .changed }
                if let problem { return try Self.hold(delivery, because: problem, after, at: now, db) }
                return try Self.release(delivery, after ?? TallyByApp(), prepared: prepared, at: now, db)
            }
            guard end != .changed else { continue }
            return RecountResult(
                before: before.counts, after: try figures(of: delivery).counts, repairedParts: repaired,
                isReopened: end == .reopened, problem: problem)
        }
        let what =
            "delivery \(delivery) changes while it is being counted; try again after its answers have arrived"
        throw StoreError(.limitReached(what: what), path: writer.path)
    }

    private static let maxTries = 5

    /// The values that the rows contain, even if they are impossible.
    private struct Figures: Equatable {
        var counts: DeliveryCounts
        var tally: [TallyRow]
        var prepared: Int64
        var removed: WallMoment?
    }

    private func figures(of delivery: DeliveryID) throws(StoreError) -> Figures {
        let figures = try reader.read("recount a delivery", of: delivery) { db in
            try Self.figures(of: delivery, db)
        }
        guard let figures else {
            throw StoreError(.unknown(.delivery, name: "\(delivery)"), path: writer.path)
        }
        if let removed = figures.removed {
            throw StoreError(.messagesRemoved(delivery, on: removed.dayText), path: writer.path)
        }
        return figures
    }

    private static func figures(of delivery: DeliveryID, _ db: any Session) throws -> Figures? {
        let row = try db.row(
            sql: "SELECT last_ordinal, removed_ms FROM delivery WHERE id = ?1", arguments: [delivery.rawValue]
        )
        guard let row else { return nil }
        let prepared: Int64 = try row["last_ordinal"]
        let table = TallyTable(db: db)
        let counts = try table.counts(of: [delivery: prepared])[delivery]?.counts ?? DeliveryCounts()
        let removed = (try row["removed_ms"] as Int64?).map(WallMoment.init(millisecondsSince1970:))
        return Figures(
            counts: counts, tally: try table.rows(of: delivery), prepared: prepared, removed: removed)
    }

    private enum WriteEnd {
        /// The rows have changed since they were read, so nothing was written.
        case changed
        case written
        case reopened
    }

    private static func hold(
        _ delivery: DeliveryID, because problem: String, _ tallies: TallyByApp?, at now: WallMoment,
        _ db: any Session
    ) throws -> WriteEnd {
        let isLive = try db.value(
            Bool.self, sql: "SELECT count(*) FROM delivery WHERE id = ?1 AND \(DeliveryRow.isLive)",
            arguments: [delivery.rawValue])
        // If the delivery has ended, messages that cannot be accounted for have already been counted.
        guard isLive == true else { return .written }
        if let tallies { try TallyTable(db: db).replace(tallies, of: delivery) }
        try DeliveryEnd.hold(delivery, because: problem, at: now, db)
        return .written
    }

    private static func release(
        _ delivery: DeliveryID, _ tallies: TallyByApp, prepared: Int64, at now: WallMoment, _ db: any Session
    ) throws -> WriteEnd {
        try TallyTable(db: db).replace(tallies, of: delivery)
        try db.execute(
            sql: "UPDATE delivery SET last_ordinal = ?2 WHERE id = ?1",
            arguments: [delivery.rawValue, prepared])
        try db.execute(
            sql: "DELETE FROM damaged_delivery WHERE delivery_id = ?1 AND restored = 0",
            arguments: [delivery.rawValue])
        let isOpen =
            try db.value(Int64.self, sql: HotSQL.openPartOfDelivery, arguments: [delivery.rawValue]) != nil
        if isOpen {
            let reopened = try db.execute(
                sql: """
                    UPDATE delivery SET state = 'inProgress', finished_ms = NULL
                    WHERE id = ?1 AND state = 'finished' AND prepared = 1
                    """,
                arguments: [delivery.rawValue])
            try WorkChange.note(db)
            return reopened == 1 ? .reopened : .written
        }
        _ = try DeliveryEnd.finishIfDone(delivery, at: now, db)
        return .written
    }

    /// Returns the problem that prevents the delivery from being prepared and sent; `nil` if there is none.
    private func problem(of delivery: DeliveryID) throws(StoreError) -> String? {
        do throws(StoreError) {
            let deliveries = DeliveryReader(connection: reader)
            for app in try deliveries.whole(delivery).order.apps {
                _ = try deliveries.boundRevision(of: app, in: delivery)
            }
            try reader.read("read a delivery", of: delivery) { db in
                if try PreparationPlan.load(delivery, db)?.contradictsItself == true {
                    throw UnreadableValue()
                }
            }
            return nil
        } catch {
            guard error.remedy == .setAside else { throw error }
            return error.description
        }
    }

    // MARK: Parts

    /// - Returns: The number of parts that disagreed with their messages and agree again.
    private func repairParts(of delivery: DeliveryID) throws(StoreError) -> Int {
        var repaired = 0
        var last: Int64 = 0
        try writer.write("bind a delivery to its apps again", of: delivery) { db in
            try Self.rebind(delivery, db)
        }
        while true {
            let start = last
            let step = try writer.write("repair parts", of: delivery) { db in
                let parts = try db.values(
                    Int64.self,
                    sql: "SELECT id FROM part WHERE delivery_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
                    arguments: [delivery.rawValue, start, Self.partsPerStep])
                let count = try parts.count { try PartRepair(db: db).repair(PartID(rawValue: $0)) }
                return (last: parts.last, count: count)
            }
            repaired += step.count
            guard let next = step.last else { return repaired }
            last = next
        }
    }

    private static let partsPerStep = 100

    /// Binds the delivery to the current revision of each of its apps for which the binding was lost.
    private static func rebind(_ delivery: DeliveryID, _ db: any Session) throws {
        let list = try db.value(
            String.self, sql: "SELECT apps FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        // An unreadable list is reported by the code that reads the delivery.
        guard let list, let apps = try? StoredJSON.decode([Int64].self, from: list) else { return }
        for app in apps {
            try db.execute(
                sql: """
                    INSERT INTO delivery_app (delivery_id, app_id, revision_id)
                    SELECT CAST(?1 AS BIGINT), id, current_revision FROM app WHERE id = ?2 ON CONFLICT DO \
                    NOTHING
                    """,
                arguments: [delivery.rawValue, app])
        }
    }
}
