package import PushModel

/// Creates, changes and deletes webhooks. A refusal changes nothing.
package struct WebhookWriter: Sendable {
    /// The maximum number of webhooks. Each one costs a look-up of its events, and events are kept for the
    /// slowest one.
    package static let maxWebhooks = 50
    /// The time after a rotation for which both secrets sign, in seconds.
    package static let rotationSeconds: Int64 = 86_400

    let connection: Connection
    let key: InstanceKey

    /// Creates a webhook. Refuses a second one with the same name, an unknown service, and more than
    /// ``maxWebhooks``. The webhook receives events from now on.
    package func create(
        _ order: WebhookOrder, secret: [UInt8], at now: WallMoment
    ) throws(StoreError) -> Webhook {
        try connection.write("create a webhook") { db in
            guard try Webhook.find(named: order.name, db) == nil else {
                throw error(.duplicate(.webhook, name: order.name))
            }
            guard try db.value(Int.self, sql: "SELECT count(*) FROM webhook") ?? 0 < Self.maxWebhooks else {
                throw error(
                    .limitReached(what: "there are already \(Self.maxWebhooks) webhooks; delete one"))
            }
            var columns = try columns(of: order, db)
            columns.append("name", order.name)
            columns.append("sealed", SealedSecret.seal(secret, of: order.name, under: key))
            columns.append("mark", Webhook.newMark())
            columns.append("created_ms", now.millisecondsSince1970)
            let id = try db.insert("INSERT INTO webhook \(columns.insertion)", columns.arguments)
            try db.execute(
                sql: """
                    INSERT INTO webhook_cursor (webhook_id, host, number)
                    VALUES (?1, ?2, coalesce((SELECT number FROM webhook_outbox WHERE host = ?2), 0))
                    """,
                arguments: [id, EventRecord.host])
            return try found(order.name, db)
        }
    }

    /// The properties to change. Properties that are `nil` stay as they are.
    package struct Change: Sendable {
        package var url: String?
        package var authorities: Authorities?
        package var kinds: WebhookEventKinds?
        package var service: Service?
        package var isEnabled: Bool?

        package enum Authorities: Equatable, Sendable { case system, given(pem: String) }
        package enum Service: Equatable, Sendable { case any, named(String) }

        package init() {}

        /// Whether the change has no effect.
        package var isEmpty: Bool {
            url == nil && authorities == nil && kinds == nil && service == nil && isEnabled == nil
        }
    }

    /// Changes a webhook. Refuses unknown names. A webhook that is enabled again receives the events that
    /// occurred in the meantime, as far as they were kept.
    package func update(
        _ name: String, _ change: Change, by who: String, at now: WallMoment
    ) throws(StoreError) -> Webhook {
        try connection.write("update a webhook") { db in
            let present = try found(name, db)
            var order = present.order
            if let url = change.url { order.url = url }
            if let kinds = change.kinds { order.kinds = kinds }
            switch change.authorities {
            case .given(let pem): order.authorities = pem
            case .system: order.authorities = nil
            case nil: break
            }
            switch change.service {
            case .named(let service): order.service = service
            case .any: order.service = nil
            case nil: break
            }
            let wantsOthers = (order.kinds, order.service) != (present.order.kinds, present.order.service)
            var columns = try columns(of: order, db)
            switch change.isEnabled {
            case true: columns.append("disabled", nil as String?)
            case false: columns.append("disabled", present.disabled ?? "by \(who)")
            case nil: break
            }
            if change.isEnabled == true || change.url != nil {
                // The next attempt is made immediately.
                columns.append("failures", 0)
                columns.append("next_ms", nil as Int64?)
            }
            try db.execute(
                sql: "UPDATE webhook SET \(columns.assignments) WHERE id = ?\(columns.count + 1)",
                arguments: columns.arguments + [present.id.rawValue])
            if wantsOthers { try present.takeNewMark(db) }
            return try found(name, db)
        }
    }

    /// Sets a new secret. The previous one remains valid for one more day.
    package func rotate(
        _ name: String, secret: [UInt8], at now: WallMoment
    ) throws(StoreError) -> Webhook {
        try connection.write("rotate a webhook's secret") { db in
            let present = try found(name, db)
            try db.execute(
                sql: "UPDATE webhook SET old_sealed = sealed, sealed = ?2, old_until_ms = ?3 WHERE id = ?1",
                arguments: [
                    present.id.rawValue, SealedSecret.seal(secret, of: name, under: key),
                    now.millisecondsSince1970.clampedSum(Self.rotationSeconds * 1_000),
                ])
            return try found(name, db)
        }
    }

    /// Deletes a webhook. It does not receive events that have not yet been sent.
    package func delete(_ name: String) throws(StoreError) -> Webhook {
        try connection.write("delete a webhook") { db in
            let present = try found(name, db)
            try db.execute(
                sql: "DELETE FROM webhook_cursor WHERE webhook_id = ?1", arguments: [present.id.rawValue])
            try db.execute(sql: "DELETE FROM webhook WHERE id = ?1", arguments: [present.id.rawValue])
            return present
        }
    }

    private func columns(of order: WebhookOrder, _ db: any Session) throws -> ColumnValues {
        let service = try order.service.map { name in
            guard let service = try PushModel.Service.find(named: name, db) else {
                throw error(.unknown(.service, name: name))
            }
            return service.id.rawValue
        }
        return ColumnValues([
            "url": order.url, "authorities": order.authorities, "kinds": order.kinds.rawValue,
            "service_id": service,
        ])
    }

    private func found(_ name: String, _ db: any Session) throws -> Webhook {
        guard let present = try Webhook.find(named: name, db) else {
            throw error(.unknown(.webhook, name: name))
        }
        return present
    }

    private func error(_ cause: StoreError.Cause) -> StoreError { StoreError(cause, path: connection.path) }
}

extension Webhook {
    /// Returns a new random mark, which becomes part of the ids of the webhook's batches. The mark differs
    /// from that of every other webhook, including webhooks of other instances.
    static func newMark() -> String {
        var chance = SystemRandomNumberGenerator()
        return String(UInt64.random(in: .min ... .max, using: &chance), radix: 36)
    }

    /// Gives the webhook a new mark, so that a batch that was put together before is no longer valid.
    func takeNewMark(_ db: any Session) throws {
        try db.execute(
            sql: "UPDATE webhook SET mark = ?2 WHERE id = ?1", arguments: [id.rawValue, Self.newMark()])
        try db.execute(
            sql: "UPDATE webhook_cursor SET batch_end = NULL WHERE webhook_id = ?1",
            arguments: [id.rawValue])
    }
}
