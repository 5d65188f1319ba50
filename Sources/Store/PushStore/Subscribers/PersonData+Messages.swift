package import PushModel
internal import PushQueue

/// The names by which gateways know the messages to a person.
extension PersonData {
    /// Returns deliveries that may have sent messages to these subscriptions, in order.
    package func deliveries(to subscriptions: Set<SubscriptionID>) throws(StoreError) -> [DeliveryID] {
        let found = try connection.read("find the deliveries to a person") { db in
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

    /// The position at which ``eraseProviderIDs(of:in:from:)`` continues.
    package struct MessagePlace: Equatable, Sendable {
        /// The index in the list of deliveries.
        package fileprivate(set) var delivery = 0
        /// The last part of that delivery that was searched; 0 if none was.
        fileprivate var part: Int64 = 0

        package static let first = MessagePlace()
    }

    package struct ErasedNames: Equatable, Sendable {
        /// The number of names that were erased; 0 if nothing was written.
        package var erased = 0
        /// Parts that could not be read and were skipped.
        package var unreadable: Set<PartID> = []
        /// The position of the next step; `nil` if all deliveries have been searched.
        package var next: MessagePlace?
    }

    /// Limits of one transaction: deliveries and parts that are searched, parts whose members are decoded,
    /// and names.
    private enum StepLimit {
        static let deliveries = 200
        static let parts = 500
        static let decodedParts = 50
        static let names = 1_000
    }

    /// Erases the names of messages to these subscriptions. One step covers many deliveries: most of them
    /// have sent the person few messages or none, and a step writes only deliveries that have a name to
    /// erase.
    /// - Parameter place: The position at which to continue.
    package func eraseProviderIDs(
        of subscriptions: Set<SubscriptionID>, in deliveries: [DeliveryID], from place: MessagePlace = .first
    ) throws(StoreError) -> ErasedNames {
        let search = try connection.read("find a person's messages") { db in
            var search = MessageSearch(subscriptions: subscriptions, place: place)
            try search.run(deliveries, db)
            return search
        }
        if !search.found.isEmpty {
            try connection.write("erase the gateway's names of messages") { db in
                for (part, index) in search.found {
                    try db.execute(
                        sql: """
                            UPDATE part_note SET provider_id = NULL
                            WHERE part_id = ?1 AND message_index = ?2 AND provider_id IS NOT NULL
                            """,
                        arguments: [part.rawValue, index])
                }
            }
        }
        return ErasedNames(
            erased: search.found.count, unreadable: search.unreadable,
            next: search.isDone ? nil : search.place)
    }

    private struct MessageSearch {
        let subscriptions: Set<SubscriptionID>
        var place: MessagePlace
        var found: [(part: PartID, index: Int)] = []
        var unreadable: Set<PartID> = []
        var isDone = false
        private let apps: Set<AppID>
        private var parts = 0
        private var decodedParts = 0
        private var isFull: Bool {
            parts >= StepLimit.parts || decodedParts >= StepLimit.decodedParts
                || found.count >= StepLimit.names
        }

        init(subscriptions: Set<SubscriptionID>, place: MessagePlace) {
            (self.subscriptions, self.place) = (subscriptions, place)
            apps = PersonData.apps(of: subscriptions)
        }

        mutating func run(_ deliveries: [DeliveryID], _ db: any Session) throws {
            let last = min(place.delivery + StepLimit.deliveries, deliveries.count)
            while place.delivery < last, !isFull { try search(deliveries[place.delivery], db) }
            isDone = place.delivery >= deliveries.count
        }

        /// Searches a delivery until its parts, or this step's limits, are exhausted.
        private mutating func search(_ delivery: DeliveryID, _ db: any Session) throws {
            let rows = try db.rows(
                sql: HotSQL.partsForHits(db.dialect),
                arguments: [delivery.rawValue, place.part, StepLimit.parts])
            for row in rows {
                guard !isFull else { return }
                place.part = try row[0]
                parts += 1
                if apps.contains(AppID(rawValue: try row[1])) { try search(PartID(rawValue: place.part), db) }
            }
            if rows.count < StepLimit.parts { place = MessagePlace(delivery: place.delivery + 1) }
        }

        private mutating func search(_ id: PartID, _ db: any Session) throws {
            let hasNames = try db.value(
                Bool.self, sql: HotSQL.hasProviderIDs, arguments: [id.rawValue])
            // Most gateways name no message, and a part without names has nothing to erase.
            guard hasNames == true else { return }
            decodedParts += 1
            let table = PartTable(db: db)
            do {
                guard let stored = try table.part(id) else { return }
                for index in try table.members(of: stored.part).indices(of: subscriptions) {
                    let isNamed = try db.value(
                        Bool.self, sql: HotSQL.hasProviderID, arguments: [id.rawValue, index])
                    if isNamed == true { found.append((id, index)) }
                }
            } catch is DamagedPart {
                unreadable.insert(id)
            }
        }
    }
}

extension HotSQL {
    /// ?1 part. Returns whether a gateway named any of the part's messages.
    static let hasProviderIDs =
        "SELECT EXISTS (SELECT 1 FROM part_note WHERE part_id = ?1 AND provider_id IS NOT NULL)"

    /// ?1 part, ?2 index. Returns whether a gateway named this message.
    static let hasProviderID = """
        SELECT EXISTS (
            SELECT 1 FROM part_note WHERE part_id = ?1 AND message_index = ?2 AND provider_id IS NOT NULL)
        """
}
