package import PushModel
internal import PushQueue

/// One row of a delivery's log.
package struct MessageLogEntry: Equatable, Sendable {
    package var message: MessageID
    /// From 1 within the delivery: the `_mId` of apps whose ids are integers.
    package var ordinal: Int64
    package var app: AppID
    package var appName: String
    package var messageIDFormat: MessageIDFormat
    /// Kept where the subscription has gone since.
    package var userKey: String
    /// Empty where the subscription has gone since.
    package var token: String
    package var state: MessageState
    package var attempts: Int
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    /// The gateway's own word, or ours where it was never asked.
    package var providerReason: String?
    package var providerID: String?
    package var updatedAt: WallTime
}

extension DeliveryReader {
    /// The messages of a delivery in their order; empty when there are no more.
    /// - Parameters:
    ///   - after: the last message of the page before.
    ///   - limit: at most 5 000.
    package func log(
        of id: DeliveryID, after: MessageID? = nil, limit: Int = 5_000
    ) throws(StoreError) -> [MessageLogEntry] {
        let limit = max(0, min(limit, Connection.maximumRows))
        return try connection.read("read a delivery's log", of: id) { db in
            let table = PartTable(db: db)
            var writer = try LogWriter(id, db)
            var entries: [MessageLogEntry] = []
            var last: PartID?
            // The page before may have ended within a part.
            if let after, let begun = try table.part(of: after), begun.part.delivery == id {
                try writer.write(begun, after: after, limit: limit, to: &entries)
                last = begun.part.id
            } else {
                last = after.map { PartID(rawValue: $0.rawValue) }
            }
            while entries.count < limit, let next = try table.parts(of: id, after: last, limit: 1).first {
                try writer.write(next, after: nil, limit: limit, to: &entries)
                last = next.part.id
            }
            return entries
        }
    }
}

/// Writes what a part knows of its messages as rows of a log.
private struct LogWriter {
    private let table: PartTable
    private var causes: CauseStore
    private var apps: [AppID: (name: String, format: MessageIDFormat)] = [:]
    private let subscription: any Statement
    private let removed: any Statement

    init(_ delivery: DeliveryID, _ db: any Session) throws {
        table = PartTable(db: db)
        causes = CauseStore(delivery, db)
        subscription = try db.statement("SELECT token, user_key FROM subscription WHERE id = ?1")
        removed = try db.statement("SELECT user_key FROM removed_subscription WHERE id = ?1")
    }

    mutating func write(
        _ stored: StoredPart, after: MessageID?, limit: Int, to entries: inout [MessageLogEntry]
    ) throws {
        let part = stored.part
        let app = try app(part)
        let notes = try table.notes(of: part.id)
        let first = after.flatMap(part.index(of:)).map { $0 + 1 } ?? 0
        let indices = first..<min(stored.count, first + max(limit - entries.count, 0))
        for (index, id) in zip(indices, try table.members(of: part).subscriptions(at: indices)) {
            guard let status = stored.progress.states.status(at: index) else { continue }
            let cause = status.cause == .none ? nil : try causes[status.cause]
            let subscriber = try subscriber(id)
            let message = part.message(at: index)
            entries.append(
                MessageLogEntry(
                    message: message, ordinal: part.ordinal(of: message), app: part.app, appName: app.name,
                    messageIDFormat: app.format, userKey: subscriber.userKey, token: subscriber.token,
                    state: status.state, attempts: stored.progress.attempts(of: index, notes: notes),
                    failureType: cause?.type, failureReason: cause?.reason, providerReason: cause?.word,
                    providerID: notes[index]?.providerID, updatedAt: status.since))
        }
    }

    private mutating func app(_ part: Part) throws -> (name: String, format: MessageIDFormat) {
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

    /// What is known of whoever has gone is the user key, for as long as it is kept.
    private func subscriber(_ id: SubscriptionID) throws -> (token: String, userKey: String) {
        defer { subscription.reset() }
        subscription.bind(id.rawValue, at: 1)
        if try subscription.next() { return (StoredToken.text(of: subscription.value(0)), Self.text(subscription, 1)) }
        defer { removed.reset() }
        removed.bind(id.rawValue, at: 1)
        return ("", try removed.next() ? Self.text(removed, 0) : "")
    }

    private static func text(_ row: any Statement, _ column: Int32) -> String {
        unsafe String(decoding: row.bytes(column), as: UTF8.self)
    }
}
