package import PushModel
internal import PushQueue

/// What a store says of a person beside the rows of the devices: what targets list, how gateways called the
/// messages to them, and what logs keep of devices that were removed.
///
/// **Promises.** Transactions are short; what was not finished is found again. No row of a part changes: a message
/// keeps the number of a subscription of which nothing else is known. What a gateway answers afterwards is
/// recorded by that number.
package struct PersonTraces: Sendable {
    let connection: Connection

    /// Subscriptions with this user key that were removed, and that logs know by it.
    package func remembered(_ userKey: String) throws(StoreError) -> [SubscriptionID] {
        guard !userKey.isEmpty else { return [] }
        return try connection.read("find removed subscribers") { db in
            try db.values(
                Int64.self, sql: "SELECT id FROM removed_subscription WHERE user_key = ?1 ORDER BY id",
                arguments: [userKey]
            ).map(SubscriptionID.init(rawValue:))
        }
    }

    // MARK: Targets

    /// Tables of pages of what targets list.
    private enum Pages: String, CaseIterable {
        case delivery = "delivery_target"
        case list = "recipient_page"

        var owner: String { self == .delivery ? "delivery_id" : "list_id" }
    }

    /// Puts something that nobody has in the place of these user keys and tokens, wherever a target lists them, and
    /// nothing in the place of what it says of them. So the places of all others stay what a preparation that is
    /// under way takes them for.
    /// - Returns: how many there were.
    package func eraseListed(_ values: Set<String>) throws(StoreError) -> Int {
        var erased = 0
        for pages in Pages.allCases {
            for value in values.sorted() {
                let found = try connection.read("find a person in targets") { db in
                    try db.rows(
                        sql: """
                            SELECT \(pages.owner) AS owner, page FROM \(pages.rawValue)
                            WHERE listed LIKE ?1 ESCAPE '!' ORDER BY 1, 2
                            """,
                        arguments: [try Self.pattern(value)]
                    ).map { (owner: try $0["owner"] as Int64, page: try $0["page"] as Int64) }
                }
                for (owner, page) in found {
                    erased += try connection.write("erase a person from a target") { db in
                        try Self.erase(values, from: pages, owner, page, db)
                    }
                }
            }
        }
        return erased
    }

    /// Matches at least what has it in its list.
    private static func pattern(_ value: String) throws -> String {
        let listed = try StoredJSON.encode([value]).dropFirst().dropLast()
        return "%" + listed.reduce(into: "") { $0 += "!%_".contains($1) ? "!\($1)" : "\($1)" } + "%"
    }

    private static func erase(
        _ values: Set<String>, from pages: Pages, _ owner: Int64, _ page: Int64, _ db: any Session
    ) throws -> Int {
        let place = "\(pages.owner) = ?1 AND page = ?2"
        let row = try db.row(
            sql: "SELECT listed, variables FROM \(pages.rawValue) WHERE \(place)", arguments: [owner, page])
        guard let row else { return 0 }
        var listed = try StoredJSON.decode([String].self, from: try row["listed"])
        let indices = listed.indices.filter { values.contains(listed[$0]) }
        guard !indices.isEmpty else { return 0 }
        for index in indices { listed[index] = nobody() }
        let variables = try (row["variables"] as [UInt8]?).map {
            try VariableBlock(decoding: $0, count: listed.count).emptied(at: Set(indices)).bytes
        }
        try db.execute(
            sql: "UPDATE \(pages.rawValue) SET listed = ?3, variables = ?4 WHERE \(place)",
            arguments: [owner, page, try StoredJSON.encode(listed), variables])
        return indices.count
    }

    /// A user key and a token that nobody has, another each time: a target lists each once.
    private static func nobody() -> String {
        "erased-"
            + [0, 1].map { _ in String(UInt64.random(in: 0...(.max)), radix: 16) }.joined(separator: "-")
    }

    // MARK: Messages

    private static let partsPerStep = 50

    /// Forgets by which names gateways know the messages to these subscriptions. A part that cannot be read is
    /// passed over.
    package func eraseProviderIDs(of subscriptions: Set<SubscriptionID>) throws(StoreError) {
        let apps = Set(subscriptions.map { SubscriptionRange.app(of: $0.rawValue) })
        let deliveries = try connection.read("find what was sent to a person") { db in
            try apps.flatMap { app in
                try db.values(
                    Int64.self,
                    sql: """
                        SELECT delivery_id FROM delivery_app WHERE app_id = ?1
                        UNION SELECT delivery_id FROM message_revision WHERE app_id = ?1
                        """,
                    arguments: [app.rawValue])
            }
        }
        for delivery in Set(deliveries).sorted().map(DeliveryID.init(rawValue:)) {
            var last: PartID?
            repeat {
                let step = try connection.read("find a person's messages", of: delivery) { db in
                    try Self.messages(to: subscriptions, of: apps, in: delivery, after: last, db)
                }
                if !step.found.isEmpty {
                    try connection.write("erase names of messages", of: delivery) { db in
                        for (part, index) in step.found {
                            try db.execute(
                                sql: """
                                    UPDATE part_note SET provider_id = NULL
                                    WHERE part_id = ?1 AND message_index = ?2 AND provider_id IS NOT NULL
                                    """,
                                arguments: [part.rawValue, index])
                        }
                    }
                }
                last = step.last
            } while last != nil
        }
    }

    /// - Returns: nil as the last part: there are no more.
    private static func messages(
        to subscriptions: Set<SubscriptionID>, of apps: Set<AppID>, in delivery: DeliveryID, after: PartID?,
        _ db: any Session
    ) throws -> (found: [(part: PartID, index: Int)], last: PartID?) {
        let table = PartTable(db: db)
        let rows = try db.rows(
            sql: "SELECT id, app_id FROM part WHERE delivery_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            arguments: [delivery.rawValue, after?.rawValue ?? 0, partsPerStep])
        var found: [(part: PartID, index: Int)] = []
        for row in rows where apps.contains(AppID(rawValue: try row["app_id"])) {
            let id = PartID(rawValue: try row["id"])
            do {
                guard let stored = try table.part(id) else { continue }
                let indices = try table.members(of: stored.part).indices(of: subscriptions)
                found += indices.map { (part: id, index: $0) }
            } catch is DamagedPart {}
        }
        return (found, try rows.last.map { PartID(rawValue: try $0["id"]) })
    }

    // MARK: The end

    /// Removes these subscriptions, at most ``SubscriberRemover/subscriptionsPerCall``, and what is remembered of
    /// them, also of such as were removed before.
    /// - Returns: how many there were still.
    package func erase(_ subscriptions: [SubscriptionID], at now: WallMoment) throws(StoreError) -> Int {
        try connection.write("erase subscribers") { db in
            var removed = 0
            for id in subscriptions.prefix(SubscriberRemover.subscriptionsPerCall) {
                if try SubscriberRemover.remove(id.rawValue, at: now, db) { removed += 1 }
                // Of an app that was deleted it may be there still.
                try PartVariables(db: db).erase(id)
                try db.execute(
                    sql: "DELETE FROM removed_subscription WHERE id = ?1", arguments: [id.rawValue])
            }
            return removed
        }
    }
}
