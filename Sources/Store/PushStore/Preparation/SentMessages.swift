internal import PushModel
internal import PushQueue

/// A target that refers to an earlier delivery: either all subscriptions to which that delivery's messages
/// were sent, or only those whose message was opened, or only those whose message was not opened. The
/// messages are read within the caller's transaction.
///
/// A message is opened if its device reported a click. A receipt only shows that the message reached the
/// device. Openers are subscriptions with a click, whatever the gateway answered. Non-openers are
/// subscriptions to which the message was sent and that have no click. Subscriptions without a click whose
/// message failed, was cancelled or was excluded belong to neither group.
struct SentMessages {
    private let delivery: DeliveryID
    private let app: AppID
    private let group: SentGroup

    init(of delivery: DeliveryID, to app: AppID, _ group: SentGroup) {
        self.delivery = delivery
        self.app = app
        self.group = group
    }

    /// The maximum number of parts that one chunk examines.
    private static let partsPerChunk = 100

    /// Continues at the cursor: `subscription` is the number of the last completed part, and `value` is the
    /// index within the next part.
    /// - Parameter limit: The maximum number of messages to examine.
    func select(
        from cursor: PreparationPlan.Cursor, limit: Int, _ db: any Session
    ) throws -> (members: [TargetSelection.Member], looked: Int, next: PreparationPlan.Cursor) {
        guard cursor.value <= PartLimits.messages else { throw UnreadableValue() }
        var next = cursor
        // If the messages were removed or are being removed, it is no longer known which of them were not
        // opened.
        guard try SourceDelivery.hasMessages(delivery, db) else {
            next.advanceApp()
            return ([], 0, next)
        }
        let parts = try Self.parts(
            of: delivery, after: next.subscription, atMost: Self.partsPerChunk, db)
        var members: [TargetSelection.Member] = []
        var looked = 0
        for part in parts {
            if part.app == app {
                guard looked < limit else { return (members, looked, next) }
                let stored = try Self.read(part.id, db)
                let end = min(stored.count, next.value + limit - looked)
                members += try present(
                    try subscriptions(next.value..<max(next.value, end), of: stored, db), db)
                looked += max(0, end - next.value)
                guard end >= stored.count else {
                    next.value = end
                    return (members, looked, next)
                }
            }
            next.finish(part.id)
        }
        if parts.count < Self.partsPerChunk { next.advanceApp() }
        return (members, looked, next)
    }

    static func parts(
        of delivery: DeliveryID, after last: Int64, atMost limit: Int, _ db: any Session
    ) throws -> [(id: PartID, app: AppID)] {
        let statement = try db.statement(HotSQL.partsForHits(db.dialect))
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(last, at: 2)
        statement.bind(Int64(limit), at: 3)
        var parts: [(PartID, AppID)] = []
        while try statement.next() {
            parts.append((PartID(rawValue: statement.integer(0)), AppID(rawValue: statement.integer(1))))
        }
        return parts
    }

    // MARK: - Of one part

    /// Returns the subscriptions of those messages that the group contains.
    func subscriptions(
        _ range: Range<Int>, of stored: StoredPart, _ db: any Session
    ) throws -> ContiguousArray<SubscriptionID> {
        let clicked = group == .recipients ? [] : try clicks(range, of: stored.part, db)
        var indices: ContiguousArray<Int> = []
        if group == .openers {
            indices = clicked
        } else {
            let known = Set(clicked)
            stored.progress.states.forEachRun(in: range) { run, status in
                guard status.state == .sent else { return }
                indices += run.filter { !known.contains($0) }
            }
        }
        guard !indices.isEmpty else { return [] }
        let members = try Self.ofOther { try PartTable(db: db).members(of: stored.part) }
        let numbers = SubscriptionRange(app)
        return ContiguousArray(
            members.subscriptions(at: indices).filter {
                $0.rawValue >= numbers.first && $0.rawValue <= numbers.last
            })
    }

    /// Returns the indices of the messages in the range that were clicked, in order.
    private func clicks(_ range: Range<Int>, of part: Part, _ db: any Session) throws -> ContiguousArray<Int>
    {
        let statement = try db.statement(HotSQL.clicks)
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(part.firstOrdinal + Int64(range.lowerBound), at: 2)
        statement.bind(part.firstOrdinal + Int64(range.upperBound) - 1, at: 3)
        var indices: ContiguousArray<Int> = []
        while try statement.next() { indices.append(Int(statement.integer(0) - part.firstOrdinal)) }
        return indices
    }

    /// Returns the subscriptions that still exist.
    private func present(
        _ subscriptions: ContiguousArray<SubscriptionID>, _ db: any Session
    ) throws -> [TargetSelection.Member] {
        var walk = try SubscriptionWalk(subscriptions, db, reading: SubscriptionWalk.registration)
        defer { walk.end() }
        var members: [TargetSelection.Member] = []
        for subscription in subscriptions.sorted() {
            guard let row = try walk.seek(subscription) else { continue }
            members.append(
                TargetSelection.Member(subscription: subscription.rawValue, disabled: row.integer(2)))
        }
        return members
    }

    static func read(_ id: PartID, _ db: any Session) throws -> StoredPart {
        guard let part = try ofOther({ try PartTable(db: db).part(id) }) else { throw UnreadableValue() }
        return part
    }

    /// Converts damage to the source delivery's rows into an error of the delivery that is being prepared,
    /// because the damage prevents its preparation.
    private static func ofOther<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch is DamagedPart { throw UnreadableValue() }
    }
}

/// The requirements for a delivery that is the source of another delivery's target.
enum SourceDelivery {
    /// Reports whether the delivery's messages, and the reports about them, are still available.
    static func hasMessages(_ delivery: DeliveryID, _ db: any Session) throws -> Bool {
        let row = try db.row(
            sql: "SELECT removed_ms FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        guard let row else { return false }
        return try row["removed_ms"] as Int64? == nil
    }

    /// Returns the reason why the target cannot be accepted, preceded by the location of the faulty member in
    /// a document; `nil` if the target can be accepted.
    /// - Parameter bounds: The services whose deliveries exist for the caller.
    static func fault(
        of target: Target, service: ServiceID, within bounds: ServiceBounds = .unbound, _ db: any Session
    ) throws -> String? {
        for (group, delivery, place) in target.groups {
            let why = try fault(
                of: delivery, service: service, within: bounds, asksDevices: group.asksDevices, db)
            if let why { return "\(place): \(why)" }
        }
        return nil
    }

    /// - Parameter asksDevices: Whether the target depends on what devices report about the delivery's
    ///   messages.
    private static func fault(
        of delivery: DeliveryID, service: ServiceID, within bounds: ServiceBounds, asksDevices: Bool,
        _ db: any Session
    ) throws -> String? {
        let row = try db.row(
            sql: "SELECT service_id, tracking, open_until, removed_ms FROM delivery WHERE id = ?1",
            arguments: [delivery.rawValue])
        guard let row, bounds.admit(ServiceID(rawValue: try row["service_id"])) else {
            return "there is no delivery \(delivery)"
        }
        guard try row["service_id"] == service.rawValue else {
            return "delivery \(delivery) belongs to another service; specify a delivery of the same service"
        }
        if let removed = try row["removed_ms"] as Int64? {
            let day = WallMoment(millisecondsSince1970: removed).dayText
            return "the messages of delivery \(delivery) were removed on \(day) (nmac/@retentionDays)"
        }
        if try row["open_until"] as Int64? != nil {
            return "delivery \(delivery) consists of single messages, and one device can have several of them"
        }
        if asksDevices, try row["tracking"] == false {
            return
                "delivery \(delivery) was sent with \"tracking\": false, so devices cannot report on it"
        }
        return nil
    }
}

extension HotSQL {
    /// ?1 delivery, ?2…?3 numbers. Returns the messages that were clicked.
    static let clicks = """
        SELECT number FROM hit WHERE delivery_id = ?1 AND number BETWEEN ?2 AND ?3 AND clicked_ms IS NOT NULL
        ORDER BY number
        """
}
