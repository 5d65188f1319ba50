package import PushModel
internal import PushQueue

/// One row of a delivery's log.
package struct MessageLogEntry: Equatable, Sendable {
    package var message: MessageID
    /// The message's number within its delivery, starting at 1.
    package var ordinal: Int64
    package var app: AppID
    package var appName: String
    package var messageIDFormat: MessageIDFormat
    /// The user key, which is kept if the subscription has been deleted since.
    package var userKey: String
    /// The token; empty if the subscription has been deleted since.
    package var token: String
    package var state: MessageState
    package var attempts: Int
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    /// The gateway's own reason code, or PushMTA's own reason if the gateway was never asked.
    package var providerReason: String?
    package var providerID: String?
    package var updatedAt: WallTime
    /// What the device reported; `nil` if it reported nothing, or if reports were not requested.
    package var hits: MessageHits?
}

extension DeliveryReader {
    private static let partsPerStep = 50

    /// Returns the messages of a delivery in order; empty if there are no more.
    /// - Parameters:
    ///   - after: The last message of the previous page.
    ///   - limit: At most 5 000.
    package func log(
        of id: DeliveryID, after: MessageID? = nil, limit: Int = 5_000
    ) throws(StoreError) -> [MessageLogEntry] {
        let limit = max(0, min(limit, Connection.maximumRows))
        return try connection.read("read a delivery's log", of: id) { db in
            let table = PartTable(db: db)
            var writer = try LogWriter(id, db, readsHits: true)
            var entries: [MessageLogEntry] = []
            var last: PartID?
            // The previous page may have ended within a part.
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

    /// Returns the messages to one user, in order: the messages to each of the user's devices, including
    /// removed devices whose user key is still kept.
    package func log(of id: DeliveryID, toUser userKey: String) throws(StoreError) -> [MessageLogEntry] {
        let devices = try connection.read("read a user's messages", of: id) { db in
            try Self.devices(of: userKey, among: id, db)
        }
        return try log(of: id, to: devices)
    }

    /// Returns the messages to some devices, in order.
    package func log(
        of id: DeliveryID, to devices: Set<SubscriptionID>
    ) throws(StoreError) -> [MessageLogEntry] {
        guard !devices.isEmpty else { return [] }
        let byApp = devices.byApp
        var entries: [MessageLogEntry] = []
        var last: PartID?
        while true {
            let step = try connection.read("read a user's messages", of: id) { db in
                let table = PartTable(db: db)
                var writer = try LogWriter(id, db, readsHits: true)
                var entries: [MessageLogEntry] = []
                let parts = try table.parts(of: id, after: last, limit: Self.partsPerStep)
                for part in parts {
                    guard let wanted = byApp[part.part.app] else { continue }
                    let members = try table.members(of: part.part)
                    try writer.write(part, members.indices(of: wanted), members, to: &entries)
                }
                return (entries: entries, last: parts.last?.part.id)
            }
            entries += step.entries
            guard let next = step.last else { return entries }
            last = next
        }
    }

    private static func devices(
        of userKey: String, among delivery: DeliveryID, _ db: any Session
    ) throws -> Set<SubscriptionID> {
        let apps = try db.values(
            Int64.self,
            sql: """
                SELECT app_id FROM delivery_app WHERE delivery_id = ?1
                UNION SELECT app_id FROM message_revision WHERE delivery_id = ?1
                """,
            arguments: [delivery.rawValue])
        let present = try apps.flatMap {
            try db.values(Int64.self, sql: HotSQL.findDevices, arguments: [$0, userKey])
        }
        let removed = try db.values(
            Int64.self, sql: "SELECT id FROM removed_subscription WHERE user_key = ?1", arguments: [userKey])
        return Set((present + removed).map(SubscriptionID.init(rawValue:)))
    }

    /// Returns the number of messages that were sent after more than one counted attempt.
    package func sentAfterSeveralAttempts(_ id: DeliveryID) throws(StoreError) -> Int {
        var count = 0
        var last: PartID?
        while true {
            let step = try connection.read("count messages that were sent again", of: id) { db in
                let table = PartTable(db: db)
                let parts = try table.parts(of: id, after: last, limit: Self.partsPerStep)
                let count = try parts.reduce(0) { count, part in
                    try table.notes(of: part.part.id).notes.reduce(count) { count, note in
                        let isSent = part.progress.states.status(at: note.index)?.state == .sent
                        return isSent && note.attempts > 1 ? count + 1 : count
                    }
                }
                return (count: count, last: parts.last?.part.id)
            }
            count += step.count
            guard let next = step.last else { return count }
            last = next
        }
    }
}
