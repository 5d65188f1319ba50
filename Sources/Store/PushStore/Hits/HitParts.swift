package import PushModel

/// The parts of a delivery that have been prepared so far, with the data that is needed to find the message
/// that a device's report concerns.
package struct HitParts: Equatable, Sendable {
    package struct Part: Equatable, Sendable {
        package var app: AppID
        /// The id of its first message.
        package var message: MessageID
        /// The number of its first message, within the delivery.
        package var number: Int64
        package var count: Int64

        /// - Parameter ordinal: The number of one of its messages.
        func message(ofNumber ordinal: Int64) -> MessageID {
            MessageID(rawValue: message.rawValue + ordinal - number)
        }
    }

    package let delivery: DeliveryID
    /// The parts, ordered by number, which is also the order of their messages.
    package private(set) var parts: [Part] = []
    /// The format of `_mId`, by app.
    package private(set) var formats: [AppID: MessageIDFormat] = [:]
    /// Whether the delivery's messages carry ids and still exist.
    package private(set) var takesHits = false
    /// Whether no more parts will be added.
    package private(set) var isWhole = false

    init(of delivery: DeliveryID) { self.delivery = delivery }

    package func part(ofNumber number: Int64) -> Part? {
        guard let part = last(where: { $0.number <= number }), number < part.number + part.count else {
            return nil
        }
        return part
    }

    package func part(of message: MessageID) -> Part? {
        guard let part = last(where: { $0.message <= message }),
            message.rawValue - part.message.rawValue < part.count
        else { return nil }
        return part
    }

    /// Returns the last part for which the condition holds. If the condition holds for a part, it must hold
    /// for all earlier parts.
    private func last(where isBefore: (Part) -> Bool) -> Part? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(parts[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? parts[low - 1] : nil
    }
}

/// Reads the parts of deliveries, which determine the messages that a delivery has.
package struct HitReader: Sendable {
    let connection: Connection
    private static let partsPerPage = 4_000

    /// - Parameter known: The result of an earlier read. Parts do not change, so only new parts are read.
    /// - Returns: `nil` if the delivery does not exist.
    package func parts(of delivery: DeliveryID, after known: HitParts? = nil) throws(StoreError) -> HitParts?
    {
        var found = known ?? HitParts(of: delivery)
        repeat {
            let count = found.parts.count
            let page = found
            let next = try connection.read("look for a delivery's messages", of: delivery) { db in
                var page = page
                return try page.read(db, limit: Self.partsPerPage) ? page : nil
            }
            guard let next else { return nil }
            found = next
            if found.parts.count < count + Self.partsPerPage { return found }
        } while true
    }
}

extension HitParts {
    /// - Returns: Whether the delivery exists.
    fileprivate mutating func read(_ db: any Session, limit: Int) throws -> Bool {
        let row = try db.row(
            sql: "SELECT tracking, prepared, removed_ms FROM delivery WHERE id = ?1",
            arguments: [delivery.rawValue])
        guard let row else { return false }
        let removed: Int64? = try row["removed_ms"]
        takesHits = try row["tracking"] && removed == nil
        isWhole = try row["prepared"]
        guard takesHits else {
            parts = []
            return true
        }
        for bound in try db.rows(
            sql: """
                SELECT x.app_id, r.message_id_format FROM delivery_app x JOIN app_revision r ON r.id = \
                x.revision_id
                WHERE x.delivery_id = ?1
                """, arguments: [delivery.rawValue])
        {
            let format: String = try bound["message_id_format"]
            formats[AppID(rawValue: try bound["app_id"])] = MessageIDFormat(rawValue: format)
        }
        let statement = try db.statement(HotSQL.partsForHits(db.dialect))
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(parts.last?.message.rawValue ?? 0, at: 2)
        statement.bind(Int64(limit), at: 3)
        while try statement.next() {
            parts.append(
                Part(
                    app: AppID(rawValue: statement.integer(1)),
                    message: MessageID(rawValue: statement.integer(0)), number: statement.integer(2),
                    count: statement.integer(3)))
        }
        return true
    }
}

extension HotSQL {
    /// ?1: the delivery; ?2: the part after which to continue; ?3: the limit.
    static func partsForHits(_ dialect: SQLDialect) -> String {
        "SELECT id, app_id, first_number, count FROM part p WHERE \(partsAfter(dialect)) LIMIT ?3"
    }
}
