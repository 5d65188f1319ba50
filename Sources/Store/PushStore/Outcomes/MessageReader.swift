package import PushModel
internal import PushQueue
internal import Synchronization

/// A message that is due again, without its subscription's bytes.
package struct RetryFacts: Equatable, Sendable {
    package var message: MessageID
    package var delivery: DeliveryID
    package var content: MessageContentID
    /// Within the delivery, from 1.
    package var ordinal: Int64
    package var attempts: Int
    package var due: WallTime
    /// Where the page after this message begins.
    package var place: RetryPlace
}

/// How far a search for due messages has come: parts in the order of what is due first in each, messages in
/// theirs.
package struct RetryPlace: Equatable, Sendable {
    /// When the first of the part's messages is due, in seconds.
    var partDue: Int64
    var part: PartID
    /// The last message that was looked at, by index.
    var index: Int
}

/// Reads messages with their subscriptions, lending bytes instead of copying them.
///
/// **Promises.** Nothing is allocated per row. Each call sees one committed state.
/// A message whose subscription has gone comes with an empty token: it must be ended, not skipped.
package final class MessageReader: Sendable {
    /// Gets one message; the spans end with the call.
    package typealias Borrower<Message> = (
        _ message: Message, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parametersJSON: Span<UInt8>
    ) -> Void

    /// What is read of a message besides its subscription's token.
    package struct Extent: Equatable, Sendable {
        let columns: String
        /// Whether what the delivery's target says of its recipient is read too, behind his parameters
        /// (``PushModel/MessageFilling``): of deliveries whose target says something alone.
        package var hasVariables = false

        /// Nothing: the spans are empty.
        package static let token = Extent(columns: SubscriptionWalk.token)
        /// The subscription's parameters.
        package static let parameters = Extent(columns: SubscriptionWalk.filling)
        /// The language of its device and its parameters, as ``PushModel/MessageFilling`` has them.
        package static let languageAndParameters = Extent(columns: SubscriptionWalk.localised)
        /// Its user key and its parameters.
        package static let person = Extent(columns: SubscriptionWalk.address)
    }

    private let connection: Connection
    private struct Latest {
        var part: Part
        var members: PartMembers
        /// Whether some of them have been found to be gone.
        var someAreGone = false
    }

    /// Of the part that was read last: its members never change, and it is read in several pieces.
    private let latest = Mutex<Latest?>(nil)

    init(connection: Connection) { self.connection = connection }

    /// How often it waited for an answer of its server; 0 on SQLite.
    package var journeys: Int { connection.journeys }

    /// The pending messages of `range` within a part, in order.
    /// - Returns: how many.
    @discardableResult
    package func pending(
        in part: Part, range: ClosedRange<MessageID>, reading extent: Extent = .person,
        body: Borrower<MessageID>
    ) throws(StoreError) -> Int {
        if let count = try pendingOfLatest(part, range, extent, body) { return count }
        return try connection.read("read messages", of: part.delivery) { db in
            let table = PartTable(db: db)
            guard let stored = try table.part(part.id) else { return 0 }
            let part = stored.part
            var indices: ContiguousArray<Int> = []
            for pending in stored.progress.pending(in: part.indices(of: range)) {
                for index in pending { indices.append(index) }
            }
            guard !indices.isEmpty else { return 0 }
            let members = try members(of: part, table)
            let someAreGone = latest.withLock { $0?.part == part && $0?.someAreGone == true }
            var filler = try Filler(of: part, indices, extent, db)
            try filler.take()
            let fills = filler.hasFound
            try SubscriptionLender.lend(
                indices, of: members, reading: extent.columns, someAreGone: someAreGone, db
            ) {
                place, token, userKey, parameters in
                let message = part.message(at: indices[place])
                guard fills else { return body(message, token, userKey, parameters) }
                filler.fill(parameters, of: indices[place]) { body(message, token, userKey, $0) }
            }
            return indices.count
        }
    }

    /// Of the part that was read last only where its messages stand is read again, in one journey with all
    /// subscriptions of the range.
    /// - Returns: nil where it is another part, or one whose rows have to be looked at together.
    private func pendingOfLatest(
        _ part: Part, _ range: ClosedRange<MessageID>, _ extent: Extent, _ body: Borrower<MessageID>
    ) throws(StoreError) -> Int? {
        guard let latest = latest.withLock({ $0 }), latest.part.id == part.id else { return nil }
        let (known, members) = (latest.part, latest.members)
        let wanted = ContiguousArray(known.indices(of: range))
        guard !wanted.isEmpty else { return nil }
        return try connection.readOnce("read messages", of: part.delivery) { db in
            let table = PartTable(db: db)
            let asked = try table.ask(forProgressOf: known)
            let all = members.subscriptions(at: wanted)
            var filler = try Filler(of: known, wanted, extent, db)
            var walk = try SubscriptionWalk(
                all, db, reading: extent.columns, someAreGone: latest.someAreGone)
            guard let progress = try table.progress(of: known, answered: asked), walk.saysWhose else {
                if !walk.saysWhose { noteGone(known) }
                walk.end()
                filler.end()
                return nil
            }
            try filler.take()
            let fills = filler.hasFound
            var indices: ContiguousArray<Int> = []
            for pending in progress.pending(in: wanted[0]..<wanted[0] + wanted.count) { indices += pending }
            let subscriptions = indices.count == all.count ? all : members.subscriptions(at: indices)
            try SubscriptionLender.lend(subscriptions, by: &walk, reading: extent.columns) {
                place, token, userKey, parameters in
                let message = known.message(at: indices[place])
                guard fills else { return body(message, token, userKey, parameters) }
                filler.fill(parameters, of: indices[place]) { body(message, token, userKey, $0) }
            }
            return indices.count
        }
    }

    private func noteGone(_ part: Part) {
        latest.withLock { if $0?.part == part { $0?.someAreGone = true } }
    }

    /// An app's messages whose due time has come: those of parts in which something has been due longest come
    /// first.
    /// - Parameters:
    ///   - after: the place of the last one of the page before.
    ///   - limit: at most 5 000.
    ///   - isPassedOver: asked of the delivery of each part; where it says yes, the part is as if it were not
    ///     there.
    /// - Returns: how many.
    @discardableResult
    package func retries(
        app: AppID, dueBy: WallTime, after: RetryPlace? = nil, limit: Int, reading extent: Extent = .person,
        unless isPassedOver: (DeliveryID) -> Bool = { _ in false }, body: Borrower<RetryFacts>
    ) throws(StoreError) -> Int {
        let limit = max(0, min(limit, Connection.maximumRows))
        return try connection.read("read retries") { db in
            var left = limit
            try forEachDuePart(of: app, dueBy: dueBy, after: after, unless: isPassedOver, db) {
                partDue, stored, notes in
                let part = stored.part
                var due = stored.progress.dueRetries(at: dueBy, notes: notes)
                if let after, after.part == part.id { due.removeAll { $0.index <= after.index } }
                if due.count > left { due.removeLast(due.count - left) }
                guard !due.isEmpty else { return true }
                let members = try members(of: part, PartTable(db: db))
                let indices = ContiguousArray(due.map(\.index))
                var filler = try Filler(of: part, indices, extent, db)
                try filler.take()
                try SubscriptionLender.lend(indices, of: members, reading: extent.columns, db) {
                    place, token, userKey, parameters in
                    let retry = due[place]
                    let message = part.message(at: retry.index)
                    let facts = RetryFacts(
                        message: message, delivery: part.delivery, content: part.content,
                        ordinal: part.ordinal(of: message), attempts: retry.attempts, due: retry.due,
                        place: RetryPlace(partDue: partDue, part: part.id, index: retry.index))
                    filler.fill(parameters, of: retry.index) { body(facts, token, userKey, $0) }
                }
                left -= due.count
                return left > 0
            }
            return limit - left
        }
    }

    /// Apps of which messages may be due again: one question for all of them, however many there are.
    package func appsWithRetries(dueBy: WallTime) throws(StoreError) -> [AppID] {
        try connection.read("look for retries") { db in
            let found =
                if let term = db.term {
                    try db.rows(
                        sql: HotSQL.appsWithOwnDueParts, arguments: [dueBy.secondsSince1970, term])
                } else {
                    try db.rows(sql: HotSQL.appsWithDueParts, arguments: [dueBy.secondsSince1970])
                }
            return try found.map { AppID(rawValue: try $0[0]) }
        }
    }

    /// How many messages of an app are due again, counted to at most `limit`. Of a part that is due one
    /// message is, by its own row: notes are read only where that does not answer.
    package func retryingDue(app: AppID, dueBy: WallTime, limit: Int = 5_000) throws(StoreError) -> Int {
        try connection.read("count retries") { db in
            var count = 0
            guard limit > 0 else { return 0 }
            if try duePartsAreAtLeast(limit, of: app, dueBy: dueBy, db) { return limit }
            try forEachDuePart(of: app, dueBy: dueBy, after: nil, db) { _, stored, notes in
                count += stored.progress.dueRetries(at: dueBy, notes: notes).count
                return count < limit
            }
            return min(count, limit)
        }
    }

    private func duePartsAreAtLeast(
        _ number: Int, of app: AppID, dueBy: WallTime, _ db: any Session
    ) throws -> Bool {
        let parts = try dueParts(of: app, dueBy: dueBy, from: (.min, .min), limit: number, db)
        guard parts.count == number else { return false }
        // The one that would be granted first must be sound, or whoever grants it is called in vain.
        return try parts.first.flatMap { try PartTable(db: db).part(PartID(rawValue: $0.part)) } != nil
    }

    /// - Parameter body: gets when the first message of the part is due; whether to go on.
    private func forEachDuePart(
        of app: AppID, dueBy: WallTime, after: RetryPlace?,
        unless isPassedOver: (DeliveryID) -> Bool = { _ in false }, _ db: any Session,
        _ body: (_ due: Int64, StoredPart, PartNotes) throws -> Bool
    ) throws {
        let table = PartTable(db: db)
        var next = (due: after?.partDue ?? .min, part: after?.part.rawValue ?? .min)
        while true {
            let page = try dueParts(of: app, dueBy: dueBy, from: next, limit: Self.partsPerPage, db)
            for found in page {
                // The row that names it is of the same committed state.
                guard let stored = try table.part(PartID(rawValue: found.part)),
                    !isPassedOver(stored.part.delivery)
                else { continue }
                guard try body(found.due, stored, try table.notes(of: stored.part.id)) else { return }
            }
            guard page.count == Self.partsPerPage, let last = page.last else { return }
            next = (last.due, last.part + 1)
        }
    }

    private static let partsPerPage = 20

    private func dueParts(
        of app: AppID, dueBy: WallTime, from first: (due: Int64, part: Int64), limit: Int, _ db: any Session
    ) throws -> [(due: Int64, part: Int64)] {
        let statement = try db.statement(db.term == nil ? HotSQL.dueParts : HotSQL.ownDueParts)
        defer { statement.reset() }
        if let term = db.term { statement.bind(term, at: 6) }
        statement.bind(app.rawValue, at: 1)
        statement.bind(dueBy.secondsSince1970, at: 2)
        statement.bind(first.due, at: 3)
        statement.bind(first.part, at: 4)
        statement.bind(Int64(limit), at: 5)
        var page: [(due: Int64, part: Int64)] = []
        while try statement.next() { page.append((statement.integer(0), statement.integer(1))) }
        return page
    }

    private func members(of part: Part, _ table: PartTable) throws -> PartMembers {
        if let known = latest.withLock({ $0 }), known.part == part, known.members.count == part.count {
            return known.members
        }
        let members = try table.members(of: part)
        latest.withLock { $0 = Latest(part: part, members: members) }
        return members
    }
}
