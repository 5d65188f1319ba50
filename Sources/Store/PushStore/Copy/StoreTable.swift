/// A table of the store, as whoever goes through all of them needs it.
package struct StoreTable: Equatable, Sendable {
    package let name: String
    /// The primary key's columns, in its order.
    package let key: [String]
    /// Whether the engine gives its ids, which never come back.
    package var isNumbered = false
    /// The column that refers to a table further down, of a table whose key is one number.
    package var laterReference: String?
    /// A column of device tokens, which engines keep differently: see ``StoredToken``.
    package var tokens: String?

    /// Every table of a store, each behind those that its rows refer to. Both engines have exactly these,
    /// which tests compare with their catalogs: a table that is missing here would be missing in a copy.
    package static let all = [
        StoreTable(name: "instance", key: ["only"]),
        StoreTable(name: "service", key: ["id"], isNumbered: true),
        StoreTable(name: "template", key: ["service_id", "name", "version"]),
        StoreTable(name: "app", key: ["id"], isNumbered: true, laterReference: "current_revision"),
        StoreTable(name: "credential", key: ["app_id"]),
        StoreTable(name: "app_icon", key: ["app_id"]),
        StoreTable(name: "undeclared_parameter", key: ["app_id", "name"]),
        StoreTable(name: "app_revision", key: ["id"], isNumbered: true),
        StoreTable(name: "subscription", key: ["id"], tokens: "token"),
        StoreTable(name: "user_key", key: ["app_id", "user_key", "subscription_id"]),
        StoreTable(name: "removed_subscription", key: ["id"]),
        StoreTable(name: "device", key: ["subscription_id"]),
        StoreTable(name: "delivery", key: ["id"], isNumbered: true),
        StoreTable(name: "delivery_content", key: ["delivery_id"]),
        StoreTable(name: "delivery_target", key: ["delivery_id", "page"]),
        StoreTable(name: "recipient_list", key: ["id"], isNumbered: true),
        StoreTable(name: "recipient_page", key: ["list_id", "page"]),
        StoreTable(name: "delivery_app", key: ["delivery_id", "app_id"]),
        StoreTable(name: "message_content", key: ["id"]),
        StoreTable(name: "message_revision", key: ["delivery_id", "revision_id"]),
        StoreTable(name: "idempotency", key: ["scope", "key"]),
        StoreTable(name: "part", key: ["id"]),
        StoreTable(name: "part_progress", key: ["part_id"]),
        StoreTable(name: "part_note", key: ["part_id", "message_index"]),
        StoreTable(name: "part_variables", key: ["part_id", "first_index"]),
        StoreTable(name: "cause", key: ["delivery_id", "code"]),
        StoreTable(name: "tally", key: ["delivery_id", "app_id", "state", "cause", "minute"]),
        StoreTable(name: "hit", key: ["delivery_id", "number"]),
        StoreTable(name: "hit_tally", key: ["delivery_id", "app_id", "kind", "minute"]),
        StoreTable(name: "numbering", key: ["only"]),
        StoreTable(name: "account_trust", key: ["id"], isNumbered: true),
        StoreTable(name: "held_verdict", key: ["id"], isNumbered: true),
        StoreTable(name: "quarantine", key: ["subscription_id"]),
        StoreTable(name: "writer", key: ["name"]),
        StoreTable(name: "damaged_delivery", key: ["delivery_id"]),
        StoreTable(name: "work_change", key: ["only"]),
        StoreTable(name: "backup", key: ["only"]),
        StoreTable(name: "access_token", key: ["id"], isNumbered: true),
        StoreTable(name: "audit", key: ["id"], isNumbered: true),
        StoreTable(name: "job", key: ["id"], isNumbered: true),
        StoreTable(name: "webhook", key: ["id"], isNumbered: true),
        StoreTable(name: "webhook_cursor", key: ["webhook_id", "host"]),
        StoreTable(name: "webhook_outbox", key: ["host"]),
        StoreTable(name: "webhook_event", key: ["host", "number"]),
    ]

    /// What a store may have rows in that nobody has used yet.
    static let bookkeeping: Set = ["instance", "numbering", "writer"]

    /// Some names are words of SQL.
    var quotedName: String { "\"\(name)\"" }
    var keyList: String { key.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// Rows, or what of them is asked for, behind a key: where ``key``'s values stand from ?2 on. ?1 is how
    /// many.
    func page(_ columns: String, isFirst: Bool) -> String {
        let values = key.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let start = isFirst ? "" : " WHERE (\(keyList)) > (\(values))"
        return "SELECT \(columns) FROM \(quotedName)\(start) ORDER BY \(keyList) LIMIT ?1"
    }
}
