package import PushModel
internal import PushQueue
internal import Synchronization

/// A message that is due again, without the bytes of its subscription.
package struct RetryFacts: Equatable, Sendable {
    package var message: MessageID
    package var delivery: DeliveryID
    package var content: MessageContentID
    /// The number within the delivery, starting at 1.
    package var ordinal: Int64
    package var attempts: Int
    package var due: WallTime
    /// The position from which to read the page that follows this message.
    package var place: RetryPlace
}

/// The progress of a search for due messages. The search visits parts in the order of their first due
/// messages, and visits the messages of a part in their order within it.
package struct RetryPlace: Equatable, Sendable {
    /// The due time of the part's first due message, in seconds.
    var partDue: Int64
    var part: PartID
    /// The index of the last message that was examined.
    var index: Int
}

/// A reader of messages with their subscriptions. It lends bytes instead of copying them.
///
/// **Promises.** Nothing is allocated per row. Each call sees one committed state. A message whose
/// subscription was deleted has an empty token: the caller must end it, not skip it.
package final class MessageReader: Sendable {
    /// Receives one message. The spans are valid only during the call.
    package typealias MessageHandler<Message> = (
        _ message: Message, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parametersJSON: Span<UInt8>
    ) -> Void

    /// The data that is read for a message in addition to the token of its subscription.
    package struct Extent: Equatable, Sendable {
        private enum Columns { case token, filling, person }

        private let columns: Columns
        private var hasLanguage = false
        private var facts: Set<CollectedFact> = []
        /// Whether the values that the delivery's target supplies for the recipient are also read, after the
        /// recipient's parameters (``PushModel/MessageFilling``). Set only for deliveries whose target
        /// supplies values.
        package var hasVariables = false

        private init(_ columns: Columns) { self.columns = columns }

        /// No further data: the other spans are empty.
        package static let token = Extent(.token)
        /// The subscription's parameters.
        package static let parameters = Extent(.filling)
        /// The user key and the parameters of the subscription.
        package static let person = Extent(.person)

        /// The parameters of the subscription, these facts, and possibly the language, in the form of
        /// ``PushModel/MessageFilling``.
        package static func filling(withLanguage: Bool, facts: Set<CollectedFact> = []) -> Extent {
            var extent = Extent(.filling)
            (extent.hasLanguage, extent.facts) = (withLanguage, facts)
            return extent
        }

        /// Returns the columns of ``SubscriptionWalk``. Without facts, this is one of its constants.
        func columns(_ dialect: SQLDialect) -> String {
            switch columns {
            case .token: SubscriptionWalk.token
            case .person: SubscriptionWalk.address
            case .filling: SubscriptionWalk.filling(facts, withLanguage: hasLanguage, dialect)
            }
        }
    }

    private let connection: Connection
    private struct Latest {
        var part: Part
        var members: PartMembers
        /// Whether some of the part's subscriptions were found to be deleted.
        var someAreGone = false
    }

    /// The part that was read last. It is kept because a part is read in several pieces and its members never
    /// change.
    private let latest = Mutex<Latest?>(nil)

    init(connection: Connection) { self.connection = connection }

    /// The number of times that the connection waited for an answer from its server; 0 on SQLite.
    package var journeys: Int { connection.journeys }

    /// Reads the pending messages of `range` within a part, in order.
    /// - Returns: The number of messages that were read.
    @discardableResult
    package func pending(
        in part: Part, range: ClosedRange<MessageID>, reading extent: Extent = .person,
        body: MessageHandler<MessageID>
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
            try SubscriptionVisitor.visit(
                indices, of: members, reading: extent.columns(db.dialect), someAreGone: someAreGone, db
            ) {
                place, token, userKey, parameters in
                let message = part.message(at: indices[place])
                guard fills else { return body(message, token, userKey, parameters) }
                filler.fill(parameters, of: indices[place]) { body(message, token, userKey, $0) }
            }
            return indices.count
        }
    }

    /// Reads pending messages of the part that was read last. A single round trip reads the states of the
    /// part's messages and all subscriptions of the range; the part's other values are not read again.
    /// - Returns: `nil` if the part must be read again, either because it is not the one that was read last
    ///   or because the answers do not suffice.
    private func pendingOfLatest(
        _ part: Part, _ range: ClosedRange<MessageID>, _ extent: Extent, _ body: MessageHandler<MessageID>
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
            let columns = extent.columns(db.dialect)
            var walk = try SubscriptionWalk(all, db, reading: columns, someAreGone: latest.someAreGone)
            guard let progress = try table.progress(of: known, answered: asked), walk.statesOwner else {
                if !walk.statesOwner { noteGone(known) }
                walk.end()
                filler.end()
                return nil
            }
            try filler.take()
            let fills = filler.hasFound
            var indices: ContiguousArray<Int> = []
            for pending in progress.pending(in: wanted[0]..<wanted[0] + wanted.count) { indices += pending }
            let subscriptions = indices.count == all.count ? all : members.subscriptions(at: indices)
            try SubscriptionVisitor.visit(subscriptions, by: &walk, reading: columns) {
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

    /// Reads an app's messages that are due. The parts whose first due message has been overdue the longest
    /// come first.
    /// - Parameters:
    ///   - after: The place of the last message of the previous page.
    ///   - limit: At most 5 000.
    ///   - isPassedOver: Called with the delivery of each part. If it returns `true`, the part is ignored.
    /// - Returns: The number of messages that were read.
    @discardableResult
    package func retries(
        app: AppID, dueBy: WallTime, after: RetryPlace? = nil, limit: Int, reading extent: Extent = .person,
        unless isPassedOver: (DeliveryID) -> Bool = { _ in false }, body: MessageHandler<RetryFacts>
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
                try SubscriptionVisitor.visit(indices, of: members, reading: extent.columns(db.dialect), db) {
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

    /// Returns the apps with messages that may be due again. A single query covers all apps, however many
    /// there are.
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

    /// Returns the number of an app's messages that are due again, counted up to `limit`. Each due part has
    /// at least one due message, so the notes of the parts are read only if there are fewer than `limit` due
    /// parts.
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
        // The part that would be granted first must be sound. Otherwise the component that grants it would be
        // called in vain.
        return try parts.first.flatMap { try PartTable(db: db).part(PartID(rawValue: $0.part)) } != nil
    }

    /// - Parameter body: Receives the due time of the part's first due message. Returns whether to continue.
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
                // The row that names the part was read from the same committed state, so the part exists
                // unless it is damaged.
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
