package import PushModel
internal import PushQueue

/// What a receiver is to be told.
package struct WebhookEvent: Equatable, Sendable {
    /// Its message, as the delivery's log has it.
    package struct Message: Equatable, Sendable {
        package var id: MessageID
        /// Within the delivery.
        package var ordinal: Int64
        package var format: MessageIDFormat
        /// Whether the device got the id as `_mId`.
        package var isTracked: Bool
    }

    package var number: Int64
    package var kind: WebhookEventKind
    package var at: WallMoment
    package var delivery: DeliveryID?
    package var app: String
    package var service: String
    package var userKey: String
    /// nil of quarantine.
    package var message: Message?
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    /// The gateway's own word, or ours.
    package var providerReason: String?
    /// Of quarantine.
    package var source: QuarantineSource?
}

/// Events for one receiver, in their order.
package struct WebhookEventPage: Sendable {
    package var events: [WebhookEvent] = []
    /// The last event that was looked at, by number, whether it is for the receiver or not.
    package var end: Int64
    /// Whether there is nothing behind it.
    package var isLast = false
    /// Events for the receiver of which nothing is known any more: their messages were removed.
    package var missing = 0
}

/// Reads what receivers are to be told.
package struct WebhookEventReader: Sendable {
    /// Looked at in one read.
    private static let recordsPerRead = 200
    /// Reads of one call, so that a receiver which wants little keeps others waiting for moments only.
    private static let readsPerCall = 20

    let connection: Connection

    /// The last event of all, by number.
    package func last() throws(StoreError) -> Int64 {
        try connection.read("look for events") { db in
            try db.value(
                Int64.self, sql: "SELECT number FROM webhook_outbox WHERE host = ?1",
                arguments: [EventRecord.host]) ?? 0
        }
    }

    /// - Parameters:
    ///   - number: of the event behind which to begin.
    ///   - end: where to stop, whatever lies behind it by now; nil: wherever the limit is reached.
    ///   - limit: events.
    package func events(
        for webhook: Webhook, after number: Int64, upTo end: Int64?, limit: Int
    ) throws(StoreError) -> WebhookEventPage {
        var page = WebhookEventPage(end: number)
        for _ in 0..<(end == nil ? Self.readsPerCall : .max) {
            let before = page
            page = try connection.read("read events for a webhook") { db in
                var page = before
                var reading = try EventReading(webhook, db)
                try reading.read(into: &page, upTo: end ?? .max, limit: limit, records: Self.recordsPerRead)
                return page
            }
            if page.isLast || page.events.count >= limit || page.end >= end ?? .max { break }
        }
        return page
    }
}
