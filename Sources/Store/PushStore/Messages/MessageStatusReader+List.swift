package import PushModel
internal import PushQueue

/// A filter for a list of messages. `nil` members match any message.
package struct MessageFilter: Equatable, Sendable {
    package var app: AppID?
    package var state: MessageState?
    /// Whether the messages wait for their time of sending.
    package var isScheduled: Bool?
    /// Only messages to these devices.
    package var devices: Set<SubscriptionID>?
    /// Whether the list contains only messages that were submitted one by one.
    package var isSingle = false

    package init(
        app: AppID? = nil, state: MessageState? = nil, isScheduled: Bool? = nil,
        devices: Set<SubscriptionID>? = nil, isSingle: Bool = false
    ) {
        (self.app, self.state, self.isScheduled) = (app, state, isScheduled)
        (self.devices, self.isSingle) = (devices, isSingle)
    }

    /// Whether no message can match.
    fileprivate var isEmpty: Bool { devices?.isEmpty == true }

    /// The smallest range that contains the numbers of all apps of these messages.
    fileprivate var apps: ClosedRange<Int64> {
        if let app { return app.rawValue...app.rawValue }
        let apps = devices?.map(\.app.rawValue) ?? []
        return (apps.min() ?? 0)...(apps.max() ?? .max)
    }
}

extension MessageStatusReader {
    /// The maximum number of parts that one call examines. No index leads from a subscription to its
    /// messages: a part contains its recipients in a compact form, and the list examines one part after the
    /// other.
    static let lookBack = 2_000

    /// Returns messages of all deliveries whose messages are kept, the newest first. Messages in parts that
    /// cannot be read are left out.
    /// - Parameters:
    ///   - before: The `next` value of the previous page.
    ///   - limit: At most 1 000.
    /// - Returns: The messages, and `next`: the value of `before` for the next page; `nil` if this is the
    ///   last page.
    package func page(
        before: MessageID? = nil, limit: Int, only filter: MessageFilter = MessageFilter()
    ) throws(StoreError) -> (messages: [MessageStatus], next: MessageID?) {
        let end = max(before?.rawValue ?? .max, 0)
        guard !filter.isEmpty, let window = try window(before: end, parts: Self.lookBack) else {
            return ([], nil)
        }
        var listing = MessageListing(
            filter, within: bounds, before: end, from: window.first, limit: max(1, min(limit, 1_000)))
        while !listing.isComplete {
            listing = try connection.read("list messages") { [listing] db in
                var step = listing
                try step.proceed(db)
                return step
            }
        }
        if listing.isFull { return (listing.messages, listing.messages.last?.entry.message) }
        return (listing.messages, window.isLast ? nil : MessageID(rawValue: window.first))
    }

    /// Returns the first of the last parts before `end`, and whether no part precedes it; `nil` if there are
    /// no parts.
    /// - Parameter count: The maximum number of parts.
    func window(
        before end: Int64, parts count: Int
    ) throws(StoreError) -> (first: Int64, isLast: Bool)? {
        try connection.read("list messages") { db in
            let row = try db.row(
                sql:
                    """
                    SELECT min(id), count(*) FROM (SELECT id FROM part WHERE id < ?1 ORDER BY id DESC LIMIT \
                    ?2) AS page
                    """,
                arguments: [end, count])
            guard let row, let first: Int64 = try row[0] else { return nil }
            return (first, try row[1] < Int64(count))
        }
    }
}

/// A page of messages during construction. Each step is one read transaction.
private struct MessageListing {
    /// The maximum number of parts that one step examines.
    private static let partsPerStep = 50

    private let filter: MessageFilter
    private let bounds: ServiceBounds
    /// The message that follows the page.
    private let follower: Int64
    private let first: Int64
    private let limit: Int
    /// The part that was examined last.
    private var end: Int64
    private var isExhausted = false
    private(set) var messages: [MessageStatusReader.MessageStatus] = []

    var isFull: Bool { messages.count == limit }
    var isComplete: Bool { isFull || isExhausted }

    init(
        _ filter: MessageFilter, within bounds: ServiceBounds, before end: Int64, from first: Int64,
        limit: Int
    ) {
        (self.filter, self.bounds, self.first, self.limit) = (filter, bounds, first, limit)
        (follower, self.end) = (end, end)
    }

    mutating func proceed(_ db: any Session) throws {
        var writing = Writing(table: PartTable(db: db))
        if let devices = filter.devices {
            for found in try parts(to: devices, db) where !isFull {
                do {
                    guard let stored = try writing.table.part(found.part) else { continue }
                    try add(stored, found.indices, found.members, &writing)
                } catch is DamagedPart {
                    continue
                }
            }
        } else {
            for stored in try parts(db) where !isFull {
                do { try add(stored, nil, nil, &writing) } catch is DamagedPart { continue }
            }
        }
    }

    // MARK: Parts

    /// Calls `body` with each part of the next step.
    private mutating func forEachPart(
        _ sql: String, _ db: any Session, _ body: (any Statement) throws -> Void
    ) throws {
        let statement = try db.statement(sql)
        defer { statement.reset() }
        let apps = filter.apps
        statement.bind(end, at: 1)
        statement.bind(first, at: 2)
        statement.bind(Int64(Self.partsPerStep), at: 3)
        statement.bind(apps.lowerBound, at: 4)
        statement.bind(apps.upperBound, at: 5)
        statement.bind(filter.isSingle ? 1 : 0 as Int64, at: 6)
        var count = 0
        while try statement.next() {
            end = statement.integer(0)
            count += 1
            do { try body(statement) } catch is DamagedPart { continue }
        }
        isExhausted = count < Self.partsPerStep
    }

    private mutating func parts(_ db: any Session) throws -> [StoredPart] {
        var parts: [StoredPart] = []
        try forEachPart(HotSQL.recentParts(db.dialect), db) { parts.append(try StoredPart($0)) }
        return parts
    }

    private typealias Found = (part: PartID, indices: ContiguousArray<Int>, members: PartMembers)

    private mutating func parts(
        to devices: Set<SubscriptionID>, _ db: any Session
    ) throws -> [Found] {
        let byApp = devices.byApp
        var parts: [Found] = []
        try forEachPart(HotSQL.recentMembers, db) { row in
            guard let wanted = byApp[AppID(rawValue: row.integer(1))] else { return }
            let members = try? PartMembers(
                decoding: unsafe Array(row.bytes(3)), count: Int(clamping: row.integer(2)))
            guard let members, case let indices = members.indices(of: wanted), !indices.isEmpty else {
                return
            }
            parts.append((PartID(rawValue: row.integer(0)), indices, members))
        }
        return parts
    }

    // MARK: Messages

    /// What one step has already read.
    private struct Writing {
        let table: PartTable
        var deliveries: [DeliveryID: (source: MessageSource, writer: LogWriter)?] = [:]
    }

    /// - Parameter indices: The messages that the devices received; `nil` if all messages are listed.
    private mutating func add(
        _ stored: StoredPart, _ indices: ContiguousArray<Int>?, _ members: PartMembers?,
        _ writing: inout Writing
    ) throws {
        var wanted = listed(indices, of: stored)
        // The page lists the last messages of the part.
        wanted.removeFirst(max(wanted.count - (limit - messages.count), 0))
        let delivery = stored.part.delivery
        guard !wanted.isEmpty, var known = try known(delivery, &writing) else { return }
        var entries: [MessageLogEntry] = []
        let members = try members ?? writing.table.members(of: stored.part)
        try known.writer.write(stored, wanted, members, to: &entries)
        writing.deliveries[delivery] = known
        let notes = stored.progress.nextDue == nil ? PartNotes() : try writing.table.notes(of: stored.part.id)
        messages += zip(wanted, entries).map {
            MessageStatusReader.MessageStatus($1, at: $0, of: stored, known.source, notes)
        }.reversed()
    }

    private func listed(_ indices: ContiguousArray<Int>?, of stored: StoredPart) -> ContiguousArray<Int> {
        // In a part that is held back, all waiting messages wait for the same time.
        let isHeld = stored.progress.heldUntil != nil
        guard filter.isScheduled == nil || filter.isScheduled == isHeld else { return [] }
        let states = stored.progress.states
        let last = min(max(follower - stored.part.id.rawValue, 0), Int64(stored.count))
        if let indices {
            return indices.filter { index in
                index < last && (filter.state == nil || filter.state == states.status(at: index)?.state)
            }
        }
        var listed: ContiguousArray<Int> = []
        states.forEachRun(in: 0..<Int(last)) { run, status in
            if filter.state == nil || filter.state == status.state { listed += run }
        }
        return listed
    }

    private func known(
        _ delivery: DeliveryID, _ writing: inout Writing
    ) throws -> (source: MessageSource, writer: LogWriter)? {
        if let known = writing.deliveries[delivery] { return known }
        let db = writing.table.db
        let source = try MessageSource(delivery, within: bounds, db)
        let known = try source.map { ($0, try LogWriter(delivery, db, readsHits: true)) }
        writing.deliveries[delivery] = .some(known)
        return known
    }
}
