package import PushModel
internal import PushQueue

/// An event for a receiver.
package struct WebhookEvent: Equatable, Sendable {
    /// The event's message, according to the delivery's log.
    package struct Message: Equatable, Sendable {
        package var id: MessageID
        /// The number of the message within the delivery.
        package var ordinal: Int64
        package var format: MessageIDFormat
        /// Whether the device received the id as `_mId`.
        package var isTracked: Bool
    }

    package var number: Int64
    package var kind: WebhookEventKind
    package var at: WallMoment
    package var delivery: DeliveryID?
    package var app: String
    package var service: String
    package var userKey: String
    /// The message; `nil` for events about a subscriber.
    package var message: Message?
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    /// The gateway's own reason code, or the engine's.
    package var providerReason: String?
    /// The name of the source of a quarantine event or an opt-out.
    package var source: String?
}

/// Events for one receiver, in order.
package struct WebhookEventPage: Sendable {
    package var events: [WebhookEvent] = []
    /// The number of the last event that was read, whether or not it is for the receiver.
    package var end: Int64
    /// Whether no events follow.
    package var isLast = false
    /// The number of the receiver's events whose data no longer exists because the messages that they report
    /// were removed.
    package var missing = 0
}

/// Reads the events for receivers.
package struct WebhookEventReader: Sendable {
    /// The number of records in one read.
    private static let recordsPerRead = 200
    /// The maximum number of reads in one call, so that a receiver that wants few events delays other
    /// receivers only briefly.
    private static let readsPerCall = 20

    let connection: Connection

    /// Returns the number of the last event that was recorded.
    package func last() throws(StoreError) -> Int64 {
        try connection.read("look for events") { db in
            try db.value(
                Int64.self, sql: "SELECT number FROM webhook_outbox WHERE host = ?1",
                arguments: [EventRecord.host]) ?? 0
        }
    }

    /// - Parameters:
    ///   - number: The event after which to begin.
    ///   - end: The last event to read, even if later ones exist by now; `nil` to stop only at the limit.
    ///   - limit: The maximum number of events.
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
