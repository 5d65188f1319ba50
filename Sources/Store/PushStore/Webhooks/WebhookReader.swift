package import PushModel

/// Reads the existing webhooks.
package struct WebhookReader: Sendable {
    let connection: Connection
    /// The services whose webhooks exist for the caller. A webhook for all services exists only for a caller
    /// without bounds.
    var bounds = ServiceBounds.unbound

    /// Returns the webhooks in order of name.
    package func list() throws(StoreError) -> [Webhook] {
        try connection.read("list webhooks") { try Webhook.all(within: bounds, $0) }
    }

    package func webhook(named name: String) throws(StoreError) -> Webhook? {
        try connection.read("find a webhook") { try Webhook.find(named: name, within: bounds, $0) }
    }

    /// - Parameter key: The instance's key.
    /// - Returns: `nil` if there is no such webhook.
    package func secrets(of name: String, key: InstanceKey, at now: WallMoment) throws(StoreError)
        -> WebhookSecrets?
    {
        try connection.read("read a webhook's secret") { db in
            let row = try db.row(
                sql: "SELECT sealed, old_sealed, old_until_ms FROM webhook WHERE name = ?1", arguments: [name]
            )
            guard let row else { return nil }
            do {
                var secrets = WebhookSecrets(
                    present: try SealedSecret.open(try row["sealed"], of: name, under: key))
                if let old: [UInt8] = try row["old_sealed"], let until: Int64 = try row["old_until_ms"],
                    until > now.millisecondsSince1970
                {
                    secrets.old = try SealedSecret.open(old, of: name, under: key)
                }
                return secrets
            } catch {
                throw StoreError(.secretUnreadable(webhook: name), path: connection.path)
            }
        }
    }
}

extension Webhook {
    private static let selection = """
        SELECT w.id, w.name, w.url, w.authorities, w.kinds, s.name AS service, w.mark, w.disabled, \
        w.created_ms,
            w.old_until_ms, w.failures, w.next_ms, w.answer, w.answered_ms, w.taken, w.refused, w.told,
            w.dropped,
            c.number, c.batch_end, (SELECT o.number FROM webhook_outbox o WHERE o.host =
            \(EventRecord.host)) AS last,
            (SELECT e.recorded_ms FROM webhook_event e WHERE e.host = \(EventRecord.host) AND e.number >
            c.number
                ORDER BY e.number LIMIT 1) AS oldest
        FROM webhook w JOIN webhook_cursor c ON c.webhook_id = w.id AND c.host = \(EventRecord.host)
            LEFT JOIN service s ON s.id = w.service_id
        """

    static func all(within bounds: ServiceBounds = .unbound, _ db: any Session) throws -> [Webhook] {
        let condition = bounds.condition("w.service_id").map { "WHERE \($0) " } ?? ""
        return try db.rows(sql: "\(selection) \(condition)ORDER BY w.name").map { try Webhook(row: $0) }
    }

    static func find(
        named name: String, within bounds: ServiceBounds = .unbound, _ db: any Session
    ) throws -> Webhook? {
        let condition = bounds.condition("w.service_id").map { " AND \($0)" } ?? ""
        return try db.row(sql: "\(selection) WHERE w.name = ?1\(condition)", arguments: [name]).map {
            try Webhook(row: $0)
        }
    }

    private init(row: Row) throws {
        func moment(_ column: String) throws -> WallMoment? {
            (try row[column] as Int64?).map(WallMoment.init(millisecondsSince1970:))
        }
        let cursor: Int64 = try row["number"]
        let last: Int64? = try row["last"]
        self.init(
            id: WebhookID(rawValue: try row["id"]),
            order: WebhookOrder(
                name: try row["name"], url: try row["url"], authorities: try row["authorities"],
                kinds: WebhookEventKinds(rawValue: try row["kinds"]), service: try row["service"]),
            mark: try row["mark"], disabled: try row["disabled"],
            created: WallMoment(millisecondsSince1970: try row["created_ms"]),
            oldSecretUntil: try moment("old_until_ms"),
            progress: WebhookProgress(
                cursor: cursor, batchEnd: try row["batch_end"],
                behind: max((last ?? 0).clampedDifference(cursor), 0),
                oldest: try moment("oldest"), failures: try row["failures"], next: try moment("next_ms"),
                answer: try row["answer"], answered: try moment("answered_ms"), taken: try row["taken"],
                refused: try row["refused"], told: try row["told"], dropped: try row["dropped"]))
    }
}
