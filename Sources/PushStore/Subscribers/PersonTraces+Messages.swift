package import PushModel
internal import PushQueue

/// By which names gateways know the messages to a person.
extension PersonTraces {
    /// Deliveries that may have sent messages to these, in order.
    package func deliveries(to subscriptions: Set<SubscriptionID>) throws(StoreError) -> [DeliveryID] {
        let found = try connection.read("find what was sent to a person") { db in
            try Self.apps(of: subscriptions).flatMap { app in
                try db.values(
                    Int64.self,
                    sql: """
                        SELECT delivery_id FROM delivery_app WHERE app_id = ?1
                        UNION SELECT delivery_id FROM message_revision WHERE app_id = ?1
                        """,
                    arguments: [app.rawValue])
            }
        }
        return Set(found).sorted().map(DeliveryID.init(rawValue:))
    }

    private static func apps(of subscriptions: Set<SubscriptionID>) -> Set<AppID> {
        Set(subscriptions.map { SubscriptionRange.app(of: $0.rawValue) })
    }

    private static let partsPerStep = 50

    /// Forgets the names of a delivery's messages to these subscriptions.
    /// - Parameter last: the part after which to go on; nil: from the first one on.
    /// - Returns: parts that cannot be read and are passed over, and where to go on; nil: that was all.
    package func eraseProviderIDs(
        of subscriptions: Set<SubscriptionID>, in delivery: DeliveryID, after last: PartID? = nil
    ) throws(StoreError) -> (unreadable: Set<PartID>, next: PartID?) {
        let step = try connection.read("find a person's messages", of: delivery) { db in
            try Self.messages(to: subscriptions, in: delivery, after: last, db)
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
        return (step.unreadable, step.last)
    }

    private struct Step {
        var found: [(part: PartID, index: Int)] = []
        var unreadable: Set<PartID> = []
        var last: PartID?
    }

    private static func messages(
        to subscriptions: Set<SubscriptionID>, in delivery: DeliveryID, after: PartID?, _ db: any Session
    ) throws -> Step {
        let (table, apps) = (PartTable(db: db), apps(of: subscriptions))
        let rows = try db.rows(
            sql: "SELECT id, app_id FROM part WHERE delivery_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            arguments: [delivery.rawValue, after?.rawValue ?? 0, partsPerStep])
        var step = Step()
        step.last = try rows.last.map { PartID(rawValue: try $0["id"]) }
        for row in rows where apps.contains(AppID(rawValue: try row["app_id"])) {
            let id = PartID(rawValue: try row["id"])
            do {
                guard let stored = try table.part(id) else { continue }
                let indices = try table.members(of: stored.part).indices(of: subscriptions)
                step.found += indices.map { (part: id, index: $0) }
            } catch is DamagedPart {
                step.unreadable.insert(id)
            }
        }
        return step
    }
}
