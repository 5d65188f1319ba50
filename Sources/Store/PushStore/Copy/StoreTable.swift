/// The description of a table, for code that processes all tables of the store.
package struct StoreTable: Equatable, Sendable {
    package let name: String
    /// The columns of the primary key, in their order.
    package let key: [String]
    /// Whether the engine assigns the table's ids and never reuses an id.
    package var isNumbered = false
    /// The column that refers to a table further down in ``all``; `nil` if there is none. The key of a table
    /// with such a column is a single number.
    package var laterReference: String?
    /// The column that contains device tokens, which each engine stores differently (``StoredToken``); `nil`
    /// if there is none.
    package var tokens: String?

    /// Every table of a store. Each table follows the tables to which its rows refer, except for
    /// ``laterReference``. Both engines have exactly these tables. Tests compare this list with the engines'
    /// catalogs, because a table that is missing from the list would be missing from a copy.
    package static let all = [
        StoreTable(name: "instance", key: ["only"]),
        StoreTable(name: "service", key: ["id"], isNumbered: true),
        StoreTable(name: "template", key: ["service_id", "name", "version"]),
        StoreTable(name: "draft", key: ["id"], isNumbered: true),
        StoreTable(name: "app", key: ["id"], isNumbered: true, laterReference: "current_revision"),
        StoreTable(name: "credential", key: ["app_id"]),
        StoreTable(name: "former_connection", key: ["app_id"]),
        StoreTable(name: "app_key", key: ["app_id", "key"]),
        StoreTable(name: "app_icon", key: ["app_id"]),
        StoreTable(name: "undeclared_parameter", key: ["app_id", "name"]),
        StoreTable(name: "unknown_key", key: ["platform", "name"]),
        StoreTable(name: "opt_out", key: ["app_id", "mark", "person"]),
        StoreTable(name: "app_revision", key: ["id"], isNumbered: true),
        StoreTable(name: "subscription", key: ["id"], tokens: "token"),
        StoreTable(name: "user_key", key: ["app_id", "user_key", "subscription_id"]),
        StoreTable(name: "removed_subscription", key: ["id"]),
        StoreTable(name: "device", key: ["subscription_id"]),
        StoreTable(name: "activity", key: ["subscription_id"]),
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
        StoreTable(name: "person", key: ["id"], isNumbered: true),
        StoreTable(name: "person_link", key: ["person_id"]),
        StoreTable(name: "session", key: ["id"], isNumbered: true),
        StoreTable(name: "audit", key: ["id"], isNumbered: true),
        StoreTable(name: "job", key: ["id"], isNumbered: true),
        StoreTable(name: "webhook", key: ["id"], isNumbered: true),
        StoreTable(name: "webhook_cursor", key: ["webhook_id", "host"]),
        StoreTable(name: "webhook_outbox", key: ["host"]),
        StoreTable(name: "webhook_event", key: ["host", "number"]),
    ]

    /// The tables that may contain rows in a store that has not been used yet.
    static let bookkeeping: Set = ["instance", "numbering", "writer"]

    /// The condition for rows that show that a store has been used; empty if all rows of the table do.
    var usedRows: String { name == "template" ? "WHERE NOT (\(ProductTemplate.condition))" : "" }

    /// The name in quotes, because some names are SQL keywords.
    var quotedName: String { "\"\(name)\"" }
    var keyList: String { key.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// Returns SQL that reads the columns of the next rows, in the order of ``key``. ?1 is the maximum number
    /// of rows. Unless this is the first page, ?2 and the following parameters are the key of the last row
    /// before the page.
    func page(_ columns: String, isFirst: Bool) -> String {
        let values = key.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let start = isFirst ? "" : " WHERE (\(keyList)) > (\(values))"
        return "SELECT \(columns) FROM \(quotedName)\(start) ORDER BY \(keyList) LIMIT ?1"
    }
}
