package import PushModel

/// How long data that is no longer needed for sending is kept.
package struct RetentionRules: Equatable, Sendable {
    /// The number of days for which a delivery's messages are kept after the delivery ends, unless the
    /// delivery specifies its own number. 0 means for ever (`nmac/@retentionDays`).
    package var messageDays: Int
    /// The number of seconds for which a subscriber's token may be in quarantine or disabled before the
    /// subscriber is removed. 0 means for ever (`nmac/quarantine/@purgeDelay`).
    package var quarantineSeconds: Int64
    /// The length of a day for ``messageDays``. The load harness uses shorter days.
    package var secondsPerDay: Int64 = 86_400

    package init(messageDays: Int, quarantineSeconds: Int64) {
        self.messageDays = messageDays
        self.quarantineSeconds = quarantineSeconds
    }

    /// Returns the time until which messages are kept; `nil` means for ever.
    /// - Parameter days: The delivery's own number of days; `nil` if it has none.
    package func messagesKept(until finished: WallMoment, days: Int?) -> WallMoment? {
        let days = days ?? messageDays
        guard days > 0 else { return nil }
        let (seconds, isBeyond) = Int64(days).multipliedReportingOverflow(by: secondsPerDay)
        let (milliseconds, isFarBeyond) = seconds.multipliedReportingOverflow(by: 1_000)
        let (end, isOver) = finished.millisecondsSince1970.addingReportingOverflow(milliseconds)
        return isBeyond || isFarBeyond || isOver ? nil : WallMoment(millisecondsSince1970: end)
    }

    /// Returns the time before which messages are past their retention; `nil` if they are kept for ever.
    func messagesEnd(at now: WallMoment) -> Int64? {
        messageDays > 0 ? now.time.secondsSince1970 - Int64(messageDays) * secondsPerDay : nil
    }

    func quarantineEnd(at now: WallMoment) -> Int64? {
        quarantineSeconds > 0 ? now.time.secondsSince1970 - quarantineSeconds : nil
    }
}

/// The kinds of data that are removed. Each kind is removed separately, in this order, because user keys
/// (``names``) are needed as long as there are messages.
package enum RetentionKind: CaseIterable, Sendable {
    /// Messages of deliveries that ended long ago, with everything that belongs only to messages.
    case messages
    /// Subscribers whose tokens have been in quarantine for a long time.
    case subscribers
    /// Verdicts that were never believed.
    case verdicts
    /// User keys of removed subscribers, once no message needs the keys any more.
    case names
    /// Idempotency keys of messages and deliveries, after one day.
    case requests
    /// Lists of recipients whose delivery is prepared, or for which no delivery was submitted.
    case lists
    /// Sessions that have ended, and links that have expired.
    case sessions
}

/// The amounts that were removed, or would be removed.
package struct RetentionSums: Equatable, Sendable {
    package var deliveries = 0
    package var messages = 0
    package var subscribers = 0
    package var verdicts = 0
    package var names = 0

    package init() {}

    package var isEmpty: Bool { self == RetentionSums() }
    package var rows: Int { deliveries + messages + subscribers + verdicts + names }

    /// Returns a text such as `1 000 messages of 1 delivery, 3 subscribers whose …`; empty if there is
    /// nothing.
    /// - Parameter count: Formats a number with its noun, given in the singular and the plural.
    package func words(_ count: (Int, String, String) -> String) -> String {
        let of = count(deliveries, "delivery", "deliveries")
        return [
            (deliveries + messages, count(messages, "message", "messages") + " of " + of),
            (
                subscribers,
                count(subscribers, "subscriber", "subscribers")
                    + " whose tokens were in quarantine for a long time"
            ),
            (verdicts, count(verdicts, "verdict", "verdicts") + " that were never believed"),
            (names, count(names, "user key", "user keys") + " of removed subscribers"),
        ].filter { $0.0 > 0 }.map(\.1).joined(separator: ", ")
    }

    package static func += (left: inout Self, right: Self) {
        left.deliveries += right.deliveries
        left.messages += right.messages
        left.subscribers += right.subscribers
        left.verdicts += right.verdicts
        left.names += right.names
    }
}
