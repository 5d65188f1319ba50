internal import PushModel
internal import PushQueue

/// Writes the data of a part's messages as rows of a log. If the engine is a server, all subscribers of a
/// part are requested together.
struct LogWriter {
    private let table: PartTable
    private var causes: CauseStore
    private var apps: [AppID: (name: String, format: MessageIDFormat)] = [:]
    private let subscription: any Statement
    private let removed: any Statement
    private let many: (any ArrayStatement)?
    private let readsHits: Bool

    /// - Parameter readsHits: Whether the rows contain what devices reported about the messages.
    init(_ delivery: DeliveryID, _ db: any Session, readsHits: Bool = false) throws {
        table = PartTable(db: db)
        self.readsHits = readsHits
        causes = CauseStore(delivery, db)
        subscription = try db.statement(HotSQL.findByID)
        removed = try db.statement(HotSQL.findRemovedByID)
        many = try db.arrayStatement(HotSQL.findByIDs)
    }

    mutating func write(
        _ stored: StoredPart, after: MessageID?, limit: Int, to entries: inout [MessageLogEntry]
    ) throws {
        let first = after.flatMap(stored.part.index(of:)).map { $0 + 1 } ?? 0
        let indices = ContiguousArray(first..<min(stored.count, first + max(limit - entries.count, 0)))
        try write(stored, indices, try table.members(of: stored.part), to: &entries)
    }

    /// - Parameter indices: The indices of the requested messages, in ascending order.
    mutating func write(
        _ stored: StoredPart, _ indices: ContiguousArray<Int>, _ members: PartMembers,
        to entries: inout [MessageLogEntry]
    ) throws {
        guard !indices.isEmpty else { return }
        let part = stored.part
        let app = try app(part)
        let notes = try table.notes(of: part.id)
        let subscribers = try subscribers(members.subscriptions(at: indices))
        let hits = readsHits ? try MessageHits.read(of: part, at: indices, table.db) : [:]
        for (index, subscriber) in zip(indices, subscribers) {
            guard let status = stored.progress.states.status(at: index) else { continue }
            let cause = status.cause == .none ? nil : try causes[status.cause]
            let message = part.message(at: index)
            let ordinal = part.ordinal(of: message)
            entries.append(
                MessageLogEntry(
                    message: message, ordinal: ordinal, app: part.app, appName: app.name,
                    messageIDFormat: app.format, userKey: subscriber.userKey, token: subscriber.token,
                    state: status.state, attempts: stored.progress.attempts(of: index, notes: notes),
                    failureType: cause?.type, failureReason: cause?.reason, providerReason: cause?.word,
                    providerID: notes[index]?.providerID, updatedAt: status.since, hits: hits[ordinal]))
        }
    }

    private mutating func app(_ part: Part) throws -> (name: String, format: MessageIDFormat) {
        if part.content != .ofDelivery, let app = try appOfContent(part) { return app }
        if let known = apps[part.app] { return known }
        let row = try table.db.row(
            sql: """
                SELECT a.name, r.message_id_format FROM app a
                    JOIN delivery_app x ON x.app_id = a.id JOIN app_revision r ON r.id = x.revision_id
                WHERE a.id = ?1 AND x.delivery_id = ?2
                """,
            arguments: [part.app.rawValue, part.delivery.rawValue])
        guard let row, let format = MessageIDFormat(rawValue: try row["message_id_format"]) else {
            throw UnreadableValue()
        }
        let app = (name: try row["name"] as String, format: format)
        apps[part.app] = app
        return app
    }

    /// Returns the app as it was when the content was submitted.
    private func appOfContent(_ part: Part) throws -> (name: String, format: MessageIDFormat)? {
        let row = try table.db.row(
            sql: HotSQL.messageApp, arguments: [part.content.rawValue, part.delivery.rawValue])
        guard let row else { return nil }
        guard let format = MessageIDFormat(rawValue: try row["message_id_format"]) else {
            throw UnreadableValue()
        }
        return (try row["name"], format)
    }

    /// For a deleted subscriber, the token is empty; the user key is known for as long as it is kept, and
    /// then empty.
    typealias Subscriber = (token: String, userKey: String)

    func subscribers(_ ids: some Sequence<SubscriptionID>) throws -> [Subscriber] {
        guard let many else { return try ids.map(subscriber) }
        let ids = ids.map(\.rawValue)
        many.bind(ids, at: 1)
        defer { many.reset() }
        return try ids.map { _ in
            // There is a row for each subscriber, known or not.
            guard try many.next() else { throw UnreadableValue() }
            guard many.isNull(0) else { return (StoredToken.text(of: many.value(0)), Self.text(many, 1)) }
            return ("", many.isNull(2) ? "" : Self.text(many, 2))
        }
    }

    private func subscriber(_ id: SubscriptionID) throws -> Subscriber {
        defer { subscription.reset() }
        subscription.bind(id.rawValue, at: 1)
        if try subscription.next() {
            return (StoredToken.text(of: subscription.value(0)), Self.text(subscription, 1))
        }
        defer { removed.reset() }
        removed.bind(id.rawValue, at: 1)
        return ("", try removed.next() ? Self.text(removed, 0) : "")
    }

    private static func text(_ row: any Statement, _ column: Int32) -> String {
        unsafe String(decoding: row.bytes(column), as: UTF8.self)
    }
}
