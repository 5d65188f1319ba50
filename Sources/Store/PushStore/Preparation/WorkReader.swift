package import PushModel
internal import PushQueue

/// Reads what there is to do.
package struct WorkReader: Sendable {
    let connection: Connection

    /// The delivery whose preparation starts or goes on now: of those of the highest priority the next in
    /// turn, so that a large one keeps none of the others waiting for longer than a chunk. It costs the same
    /// however many have not ended.
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
                // One that has come to its start has waited longest; its turn moves nobody else's.
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

    /// Whether ``OutcomeWriter/expire(at:)`` has something to do.
    package func hasExpired(at now: WallMoment) throws(StoreError) -> Bool {
        try connection.read("look for work") { db in try Expiring.next(at: now.time, db) != nil }
    }

    /// Parts with pending messages, of deliveries in progress, by id; those of deliveries that are held are
    /// left out.
    /// - Parameters:
    ///   - after: the last part of the page before.
    ///   - limit: at most 5 000.
    package func openParts(after: PartID? = nil, limit: Int = 1_000) throws(StoreError) -> OpenParts {
        try openParts(
            (HotSQL.openParts(_:), HotSQL.ownOpenParts(_:)), [after?.rawValue ?? 0, Self.page(limit)])
    }

    /// The same of one app, among these parts.
    package func openParts(
        of app: AppID, _ range: ClosedRange<PartID>, limit: Int = 1_000
    ) throws(StoreError) -> OpenParts {
        try openParts(
            (HotSQL.openPartsOfApp(_:), HotSQL.ownOpenPartsOfApp(_:)),
            [range.lowerBound.rawValue, range.upperBound.rawValue, app.rawValue, Self.page(limit)])
    }

    /// nil where nothing of it waits.
    package func openPart(_ id: PartID) throws(StoreError) -> Part? {
        try connection.read("read a part") { db in
            try PartTable(db: db).part(id).flatMap { $0.progress.isOpen ? $0.part : nil }
        }
    }

    private static func page(_ limit: Int) -> Int { max(0, min(limit, Connection.maximumRows)) }

    /// - Parameter pages: the statement, and that which leaves out what other hosts have.
    private func openParts(
        _ pages: (all: (SQLDialect) -> String, ownAndFree: (SQLDialect) -> String),
        _ arguments: [any SQLConvertible]
    ) throws(StoreError) -> OpenParts {
        try connection.read("list open parts") { db in
            var open = OpenParts()
            // A search goes on after the last number that it met: one that nobody was given would hide all to
            // come.
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
                // Where one is beyond, the row itself may be wrong.
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

    /// What the rows say of a part: ``HotSQL/openParts``.
    private struct FoundPart {
        var id: PartID
        /// Whose it is by the row of what changes.
        var owner: DeliveryID
        var hasOwner: Bool
        /// And by the row of what does not; nil: there is none.
        var claimed: DeliveryID?
        var part: Part?
        /// Its delivery's.
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

        /// Who is to be held where it is not sound: whoever is named by a row that can be right.
        var sickDelivery: DeliveryID {
            guard let claimed else { return owner }
            return claimed != owner && hasOwner && part != nil ? owner : claimed
        }

        /// Its rows agree, or it may be whose it says it is; and it goes on where the part before it ends.
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

    /// The earliest thing in the future: a scheduled start, a retry falling due, the end of a validity, of the
    /// day of single messages, the time of held parts. What is due already is not in the future.
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

/// Whose turn it is to be prepared. Each priority has a round of its own, or a delivery of a higher one in
/// between would begin the round of the lower ones anew.
package struct PreparationTurns: Sendable {
    /// By rank: the delivery that had the last turn. Those with greater numbers come next, then the round
    /// begins anew.
    private var last: [Int: DeliveryID] = [:]

    package init() {}

    fileprivate mutating func give(_ delivery: DeliveryID, rank: Int) { last[rank] = delivery }

    fileprivate func last(_ rank: Int) -> Int64 { last[rank]?.rawValue ?? 0 }
}

/// A page of parts with pending messages.
package struct OpenParts: Sendable {
    package var parts: [Part] = []
    /// Of the deliveries of these parts.
    package var priorities: [DeliveryID: DeliveryPriority] = [:]
    /// Parts whose rows make no sense, and whose they are.
    package var damaged: [(part: PartID, delivery: DeliveryID)] = []
    /// The last that was looked at.
    package var last: PartID?
    /// All that were looked at.
    package var count = 0
}
