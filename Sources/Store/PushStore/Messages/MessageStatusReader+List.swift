package import PushModel
internal import PushQueue

/// A filter for a list of single messages. `nil` members match any message.
package struct MessageFilter: Equatable, Sendable {
    package var app: AppID?
    package var state: MessageState?
    /// Whether the messages wait for their time of sending.
    package var isScheduled: Bool?
    /// Only messages to these devices.
    package var devices: Set<SubscriptionID>?

    package init(
        app: AppID? = nil, state: MessageState? = nil, isScheduled: Bool? = nil,
        devices: Set<SubscriptionID>? = nil
    ) {
        (self.app, self.state, self.isScheduled, self.devices) = (app, state, isScheduled, devices)
    }
}

extension MessageStatusReader {
    /// The maximum number of parts that one call examines. This includes parts without single messages,
    /// because no index separates them from the others.
    static let lookBack = 2_000
    private static let partsPerStep = 100

    /// Returns messages that were submitted individually, the newest first.
    /// - Parameters:
    ///   - before: The `next` value of the previous page.
    ///   - limit: At most 1 000.
    /// - Returns: The messages, and `next`: the value of `before` for the next page; `nil` if this is the
    ///   last page.
    package func page(
        before: MessageID? = nil, limit: Int, only filter: MessageFilter = MessageFilter()
    ) throws(StoreError) -> (messages: [MessageStatus], next: MessageID?) {
        let limit = max(1, min(limit, 1_000))
        return try connection.read("list messages") { db in
            var end = max(before?.rawValue ?? .max, 0)
            guard let window = try Self.window(before: end, db) else { return ([], nil) }
            var listing = Listing(filter, before: end, limit: limit, db)
            while !listing.isFull {
                let parts = try listing.table.singleMessages(
                    before: end, from: window.first, limit: Self.partsPerStep)
                for part in parts where !listing.isFull { try listing.add(part) }
                guard let last = parts.last else { break }
                end = last.part.id.rawValue
            }
            if listing.isFull { return (listing.messages, listing.messages.last?.entry.message) }
            return (listing.messages, window.isLast ? nil : MessageID(rawValue: window.first))
        }
    }

    private static func window(
        before end: Int64, _ db: any Session
    ) throws -> (first: Int64, isLast: Bool)? {
        let row = try db.row(
            sql:
                """
                SELECT min(id), count(*) FROM (SELECT id FROM part WHERE id < ?1 ORDER BY id DESC LIMIT \
                ?2) AS page
                """,
            arguments: [end, lookBack])
        guard let row, let first: Int64 = try row[0] else { return nil }
        return (first, try row[1] < Int64(lookBack))
    }

    /// A page during construction.
    private struct Listing {
        let table: PartTable
        private let filter: MessageFilter
        private let end: Int64
        private let limit: Int
        private var writers: [DeliveryID: LogWriter] = [:]
        private(set) var messages: [MessageStatus] = []

        var isFull: Bool { messages.count == limit }

        init(_ filter: MessageFilter, before end: Int64, limit: Int, _ db: any Session) {
            (self.filter, self.end, self.limit) = (filter, end, limit)
            table = PartTable(db: db)
        }

        mutating func add(_ stored: StoredPart) throws {
            let part = stored.part
            guard filter.app == nil || filter.app == part.app else { return }
            // In a part that is held back, all waiting messages wait for the same time.
            let isHeld = stored.progress.heldUntil != nil
            guard filter.isScheduled == nil || filter.isScheduled == isHeld else { return }
            var indices = ContiguousArray(
                (0..<stored.count).filter { index in
                    let state = stored.progress.states.status(at: index)?.state
                    return part.message(at: index).rawValue < end
                        && (filter.state == nil || filter.state == state)
                })
            guard !indices.isEmpty else { return }
            let members = try table.members(of: part)
            if let devices = filter.devices {
                let wanted = Set(members.indices(of: devices))
                indices.removeAll { !wanted.contains($0) }
            }
            indices.removeFirst(max(indices.count - (limit - messages.count), 0))
            guard !indices.isEmpty else { return }
            var writer = try writers[part.delivery] ?? LogWriter(part.delivery, table.db)
            var entries: [MessageLogEntry] = []
            try writer.write(stored, indices, members, to: &entries)
            writers[part.delivery] = writer
            let notes = stored.progress.nextDue == nil ? PartNotes() : try table.notes(of: part.id)
            messages += zip(indices, entries).map { MessageStatus($1, at: $0, of: stored, notes) }.reversed()
        }
    }
}

extension PartTable {
    /// Returns parts that contain individually submitted messages, in descending order of part numbers. The
    /// numbers are at least `first` and less than `end`.
    fileprivate func singleMessages(before end: Int64, from first: Int64, limit: Int) throws -> [StoredPart] {
        let statement = try db.statement(HotSQL.singleMessages(db.dialect))
        defer { statement.reset() }
        statement.bind(end, at: 1)
        statement.bind(first, at: 2)
        statement.bind(Int64(limit), at: 3)
        var parts: [StoredPart] = []
        while try statement.next() { parts.append(try StoredPart(statement)) }
        return parts
    }
}
