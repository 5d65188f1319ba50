package import PushModel

/// One row of a delivery's log.
package struct MessageLogEntry: Equatable, Sendable {
    package var message: MessageID
    /// From 1 within the delivery: the `_mId` of apps whose ids are integers.
    package var ordinal: Int64
    package var app: AppID
    package var appName: String
    package var messageIDFormat: MessageIDFormat
    /// Kept where the subscription has gone since.
    package var userKey: String
    /// Empty where the subscription has gone since.
    package var token: String
    package var state: MessageState
    package var attempts: Int
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    /// The gateway's own word, or ours where it was never asked.
    package var providerReason: String?
    package var providerID: String?
    package var updatedAt: WallTime
}

extension DeliveryReader {
    /// The rows of a delivery in message order; empty when there are no more.
    /// - Parameters:
    ///   - after: the last message of the page before.
    ///   - limit: at most 5 000.
    package func log(
        of id: DeliveryID, after: MessageID? = nil, limit: Int = 5_000
    ) throws(StoreError) -> [MessageLogEntry] {
        try connection.read("read a delivery's log") { db in
            try db.rows(
                sql: HotSQL.logPage,
                arguments: [id.rawValue, after?.rawValue ?? 0, max(0, min(limit, Connection.maximumRows))]
            ).map { try MessageLogEntry(row: $0) }
        }
    }
}

extension MessageLogEntry {
    init(row: Row) throws {
        guard let state = MessageState(rawValue: try row["state"]),
            let format = MessageIDFormat(rawValue: try row["message_id_format"])
        else { throw UnreadableValue() }
        self.init(
            message: MessageID(rawValue: try row["id"]), ordinal: try row["ordinal"],
            app: AppID(rawValue: try row["app_id"]),
            appName: try row["app_name"], messageIDFormat: format, userKey: try row["user_key"] ?? "",
            token: StoredToken.text(of: try row["token"]), state: state, attempts: try row["attempts"],
            failureType: (try row["failure_type"] as Int64?).flatMap(FailureType.init(rawValue:)),
            failureReason: (try row["failure_reason"] as Int64?).flatMap(FailureReason.init(rawValue:)),
            providerReason: try row["provider_reason"], providerID: try row["provider_id"],
            updatedAt: WallTime(secondsSince1970: try row["updated_at"]))
    }
}
