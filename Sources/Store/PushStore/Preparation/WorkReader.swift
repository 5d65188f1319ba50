package import PushModel
internal import PushQueue

/// A reader that finds work to be done.
package struct WorkReader: Sendable {
    let connection: Connection

    /// Returns the delivery whose preparation starts or continues now. It is the next in turn among those of
    /// the highest priority, so that a large delivery does not keep other deliveries waiting for longer than
    /// a chunk. The cost does not depend on the number of deliveries that have not ended.
    package func nextToPrepare(
        at now: WallMoment, _ turns: inout PreparationTurns
    ) throws(StoreError) -> DeliveryID? {
        let last = turns
        let next = try connection.read("look for work") { db -> (id: Int64, rank: Int?)? in
            for rank in DeliveryRow.ranks.reversed() {
                let statement = try db.statement(HotSQL.nextToPrepare)
                defer { statement.reset() }
                statement.bind(now.time.secondsSince1970, at: 1)
                statement.bind(Int64(rank), at: 2)
                statement.bind(last.last(rank), at: 3)
                guard try statement.next() else { continue }
                // A delivery whose start time has come is first, because it has waited longest. Its turn does
                // not affect the turns of the other deliveries.
                if let due = statement.optionalInteger(0) { return (due, nil) }
                if let id = statement.optionalInteger(1) ?? statement.optionalInteger(2) { return (id, rank) }
            }
            return nil
        }
        guard let next else { return nil }
        let delivery = DeliveryID(rawValue: next.id)
        if let rank = next.rank { turns.give(delivery, rank: rank) }
        return delivery
    }

    /// Reports whether ``OutcomeWriter/expire(at:)`` has work to do.
    package func hasExpired(at now: WallMoment) throws(StoreError) -> Bool {
        try connection.read("look for work") { db in try Expiring.next(at: now.time, db) != nil }
    }

    /// Returns the parts that have pending messages and whose deliveries are in progress and not on hold, in
    /// the order of their ids.
    /// - Parameters:
    ///   - after: The last part of the previous page.
    ///   - limit: At most 5 000.
    package func openParts(after: PartID? = nil, limit: Int = 1_000) throws(StoreError) -> OpenParts {
        try openParts(
            (HotSQL.openParts(_:), HotSQL.ownOpenParts(_:)), [after?.rawValue ?? 0, Self.page(limit)])
    }

    /// Returns parts with pending messages under the same conditions, but only parts of one app within the
    /// given range.
    package func openParts(
        of app: AppID, _ range: ClosedRange<PartID>, limit: Int = 1_000
    ) throws(StoreError) -> OpenParts {
        try openParts(
            (HotSQL.openPartsOfApp(_:), HotSQL.ownOpenPartsOfApp(_:)),
            [range.lowerBound.rawValue, range.upperBound.rawValue, app.rawValue, Self.page(limit)])
    }

    /// Returns a part; `nil` if none of its messages wait.
    package func openPart(_ id: PartID) throws(StoreError) -> Part? {
        try connection.read("read a part") { db in
            try PartTable(db: db).part(id).flatMap { $0.progress.isOpen ? $0.part : nil }
        }
    }

    private static func page(_ limit: Int) -> Int { max(0, min(limit, Connection.maximumRows)) }

    /// - Parameter pages: The statement for all parts, and the statement that omits parts that other hosts
    ///   have.
    private func openParts(
        _ pages: (all: (SQLDialect) -> String, ownAndFree: (SQLDialect) -> String),
        _ arguments: [any SQLConvertible]
    ) throws(StoreError) -> OpenParts {
        try connection.read("list open parts") { db in
            var open = OpenParts()
            // A search continues after the last number that it found. A number that was never assigned would
            // hide all later parts.
            let numbers = NumberTable(db: db)
            let said = try numbers.last() ?? 0
            var known: Int64?
            let others = db.term.map { [$0] } ?? []
            for row in try db.rows(
                sql: (others.isEmpty ? pages.all : pages.ownAndFree)(db.dialect),
                arguments: arguments + others)
            {
                let found = try FoundPart(row)
                open.count += 1
                // If a part's number is greater than the last number in the row of message numbers, that row
                // may be wrong.
                if found.id.rawValue > said, known == nil { known = try numbers.lastTaken() }
                let wasGiven = found.id.rawValue <= known ?? said
                if wasGiven { open.last = found.id }
                if wasGiven, try found.isSound(db), let part = found.part {
                    open.parts.append(part)
                    open.priorities[part.delivery] = found.priority
                } else {
                    open.damaged.append((found.id, found.sickDelivery))
                }
            }
            return open
        }
    }

    /// The content of a part's rows, as returned by ``HotSQL/openParts``.
    private struct FoundPart {
        var id: PartID
        /// The delivery of the part, according to the row with changing values.
        var owner: DeliveryID
        var hasOwner: Bool
        /// The delivery according to the row with constant values; `nil` if that row does not exist.
        var claimed: DeliveryID?
        var part: Part?
        /// The priority of the delivery.
        var priority: DeliveryPriority
        var before: (first: Int64, number: Int64, count: Int64)?

        init(_ row: Row) throws {
            id = PartID(rawValue: try row[0])
            owner = DeliveryID(rawValue: try row[1])
            claimed = (try row[2] as Int64?).map(DeliveryID.init(rawValue:))
            hasOwner = try row[9] as Int64? != nil
            if let claimed {
                part = Part(
                    id: id, delivery: claimed, app: AppID(rawValue: try row[3]), firstOrdinal: try row[4],
                    count: try row[5], content: MessageContentID(rawValue: try row[11]))
            }
            priority = DeliveryRow.priority(ofRank: Int(truncatingIfNeeded: try row[10] as Int64? ?? 0))
            if let first = try row[6] as Int64? { before = (first, try row[7], try row[8]) }
        }

        /// The delivery to put on hold if the part is not sound. If the part's rows name different
        /// deliveries, this is the one that is named by a row that can be correct.
        var sickDelivery: DeliveryID {
            guard let claimed else { return owner }
            return claimed != owner && hasOwner && part != nil ? owner : claimed
        }

        /// Reports whether the part is sound. If its two rows name the same delivery, the part must begin
        /// where the delivery's previous part ends. If they name different deliveries, it must be possible
        /// that the part belongs to the delivery that it claims.
        func isSound(_ db: any Session) throws -> Bool {
            guard let part else { return false }
            if owner != claimed {
                guard hasOwner else { return false }
                return try PartTable(db: db).mayBe(part)
            }
            guard let before else { return part.firstOrdinal == 1 }
            let (number, isOver) = before.number.addingReportingOverflow(before.count)
            let (next, isBeyond) = before.first.addingReportingOverflow(before.count)
            return !isOver && !isBeyond && number == part.firstOrdinal && next <= id.rawValue
        }
    }

    /// Returns the time of the earliest future event: a scheduled start, the due time of a retry, the end of
    /// a validity, the end of the day of single messages, or the time at which parts are released. Events
    /// that are already due are ignored.
    package func nextMoment(after now: WallMoment) throws(StoreError) -> WallTime? {
        let now = now.time.secondsSince1970
        return try connection.read("look for work") { db in
            let start = try db.value(Int64.self, sql: HotSQL.nextStart, arguments: [now])
            let expiry = try db.value(
                Int64.self,
                sql: "SELECT min(expires_at) FROM delivery WHERE \(DeliveryRow.isLive) AND expires_at > ?1",
                arguments: [now])
            let retry = try db.value(Int64.self, sql: HotSQL.nextRetry, arguments: [now])
            let deadline = try db.value(Int64.self, sql: HotSQL.nextDeadline, arguments: [now])
            let held = try db.value(Int64.self, sql: HotSQL.nextHeld, arguments: [now])
            let close = try db.value(Int64.self, sql: HotSQL.nextToClose, arguments: [now])
            return [start, expiry, retry, deadline, held, close].compactMap(\.self).min().map(
                WallTime.init(secondsSince1970:))
        }
    }
}

/// The order in which deliveries are prepared. Each priority has its own round. Otherwise, preparing a
/// delivery of a higher priority would restart the rounds of the lower priorities.
package struct PreparationTurns: Sendable {
    /// The delivery that had the last turn, by rank. Deliveries with higher numbers follow, and then the
    /// round begins again.
    private var last: [Int: DeliveryID] = [:]

    package init() {}

    fileprivate mutating func give(_ delivery: DeliveryID, rank: Int) { last[rank] = delivery }

    fileprivate func last(_ rank: Int) -> Int64 { last[rank]?.rawValue ?? 0 }
}

/// A page of parts with pending messages.
package struct OpenParts: Sendable {
    package var parts: [Part] = []
    /// The priorities of the deliveries of these parts.
    package var priorities: [DeliveryID: DeliveryPriority] = [:]
    /// The parts with invalid rows, and their deliveries.
    package var damaged: [(part: PartID, delivery: DeliveryID)] = []
    /// The last part that was examined.
    package var last: PartID?
    /// The number of parts that were examined.
    package var count = 0
}
