package import PushModel

/// The data that is required to send a delivery to one of its apps. The list of recipients is not included,
/// because it may be long.
package struct SendingInfo: Sendable {
    package var contentJSON: [UInt8]
    package var tracking: Bool
    package var retry: RetryOverride
    package var expiresAt: WallTime
    /// Whether each message is attempted only once, and its gateway does not try again later if the device is
    /// unreachable.
    package var isNowOrNever: Bool
    package var priority: DeliveryPriority
    /// The maximum number of messages whose sending may begin per second; 0 means unlimited.
    package var ratePerSecond: Int
    /// The app at the time when the delivery was submitted.
    package var revision: AppRevision
    /// Whether the delivery's target contains values of variables for the recipients that it lists, or the
    /// messages of a content were accepted with values.
    package var hasVariables: Bool
}

extension DeliveryReader {
    /// Returns the data that is required to send a delivery to the app. Missing data is treated as damage,
    /// and only this delivery is put on hold.
    /// - Parameter content: The content of the part's messages.
    package func sendingTerms(
        of id: DeliveryID, _ content: MessageContentID = .ofDelivery, to app: AppID
    ) throws(StoreError) -> SendingInfo {
        let terms = try connection.read("read a delivery", of: id) { db -> SendingInfo? in
            let row =
                try content == .ofDelivery
                ? db.row(sql: Self.terms, arguments: [id.rawValue, app.rawValue])
                : db.row(sql: HotSQL.messageTerms, arguments: [content.rawValue, id.rawValue])
            guard let row else { return nil }
            let expiry: Int64 = try row["expires_at"]
            let rate: Int = try content == .ofDelivery ? row["rate"] : 0
            let retry = RetryOverride(count: try row["retry_count"], periodSeconds: try row["retry_period"])
            // Calculating with numbers that no submission can have written would crash the process.
            guard (0..<(1 << 50)).contains(expiry), (0..<(1 << 40)).contains(retry.count ?? 0),
                (0..<(1 << 40)).contains(retry.periodSeconds ?? 0), (0..<(1 << 40)).contains(rate)
            else { throw UnreadableValue() }
            return SendingInfo(
                contentJSON: try row["content"], tracking: try row["tracking"], retry: retry,
                expiresAt: WallTime(secondsSince1970: expiry), isNowOrNever: try row["is_now_or_never"],
                priority: DeliveryRow.priority(ofRank: try row["priority"]), ratePerSecond: rate,
                revision: try AppRevision(row: row),
                hasVariables: try content == .ofDelivery ? Self.hasVariables(row) : row["has_values"])
        }
        guard let terms else {
            let which = content == .ofDelivery ? "" : " \(content)"
            let what = "delivery \(id) has no content\(which), or is not bound to a revision of app \(app)"
            throw StoreError(.unsound(what: what), path: connection.path).met(in: id)
        }
        return terms
    }

    private static func hasVariables(_ row: Row) throws -> Bool {
        guard try StoredTarget(rawValue: row["target"]) == .detailed else { return false }
        return try TargetDetails.read(row["target_parameters"]).variables != nil
    }

    private static let terms = """
        SELECT d.tracking, d.retry_count, d.retry_period, d.expires_at, d.priority, d.rate, c.content, \
        d.target,
            d.target_parameters, (d.validity = 0) AS is_now_or_never,
            r.bundle_id, r.message_id_format, r.variables
        FROM delivery d JOIN delivery_content c ON c.delivery_id = d.id
            JOIN app_revision r ON r.id = (
                SELECT x.revision_id FROM delivery_app x WHERE x.delivery_id BETWEEN ?1 AND ?1 AND x.app_id
                = ?2
                ORDER BY x.delivery_id, x.app_id LIMIT 1)
        WHERE d.id = ?1
        """

    /// Returns the time when messages with this content expire; `nil` if there is no such content.
    package func end(of content: MessageContentID, in delivery: DeliveryID) throws(StoreError) -> WallTime? {
        try connection.read("read a content's validity", of: delivery) { db in
            try db.value(
                Int64.self, sql: "SELECT expires_at FROM message_content WHERE id = ?1 AND delivery_id = ?2",
                arguments: [content.rawValue, delivery.rawValue]
            ).map(WallTime.init(secondsSince1970:))
        }
    }
}
