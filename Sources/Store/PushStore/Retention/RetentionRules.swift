package import PushModel

/// How long what is not needed for sending any more is kept.
package struct RetentionRules: Equatable, Sendable {
    /// Days after its end that a delivery's messages are kept, where it has none of its own; 0: for ever
    /// (`nmac/@retentionDays`).
    package var messageDays: Int
    /// Seconds that a subscriber's token may be in quarantine, or disabled, before the subscriber is removed;
    /// 0: for ever (`nmac/quarantine/@purgeDelay`).
    package var quarantineSeconds: Int64
    /// How long a day of ``messageDays`` is. The load harness lives faster.
    package var secondsPerDay: Int64 = 86_400

    package init(messageDays: Int, quarantineSeconds: Int64) {
        self.messageDays = messageDays
        self.quarantineSeconds = quarantineSeconds
    }

    /// Until when messages are kept; nil: for ever.
    /// - Parameter days: the delivery's own; nil: it has none.
    package func messagesKept(until finished: WallMoment, days: Int?) -> WallMoment? {
        let days = days ?? messageDays
        guard days > 0 else { return nil }
        let (seconds, isBeyond) = Int64(days).multipliedReportingOverflow(by: secondsPerDay)
        let (milliseconds, isFarBeyond) = seconds.multipliedReportingOverflow(by: 1_000)
        let (end, isOver) = finished.millisecondsSince1970.addingReportingOverflow(milliseconds)
        return isBeyond || isFarBeyond || isOver ? nil : WallMoment(millisecondsSince1970: end)
    }

    /// What happened before it is older than messages are kept; nil: nothing is.
    func messagesEnd(at now: WallMoment) -> Int64? {
        messageDays > 0 ? now.time.secondsSince1970 - Int64(messageDays) * secondsPerDay : nil
    }

    func quarantineEnd(at now: WallMoment) -> Int64? {
        quarantineSeconds > 0 ? now.time.secondsSince1970 - quarantineSeconds : nil
    }
}

/// What is removed, each kind by itself, in this order: names are needed while messages are there.
package enum RetentionKind: CaseIterable, Sendable {
    /// Of deliveries that ended long ago, with all that belongs to messages alone.
    case messages
    /// Subscribers whose tokens have been in quarantine for long.
    case subscribers
    /// Verdicts that nobody has come to believe.
    case verdicts
    /// User keys of subscribers who were removed, which no message needs any more.
    case names
    /// Idempotency keys of messages and deliveries, after a day.
    case requests
    /// Lists of recipients whose delivery is prepared, or that nobody submitted for.
    case lists
}

/// What was removed, or would be.
package struct RetentionSums: Equatable, Sendable {
    package var deliveries = 0
    package var messages = 0
    package var subscribers = 0
    package var verdicts = 0
    package var names = 0

    package init() {}

    package var isEmpty: Bool { self == RetentionSums() }
    package var rows: Int { deliveries + messages + subscribers + verdicts + names }

    /// `1 000 messages of 1 delivery, 3 subscribers whose …`; empty where there is nothing.
    /// - Parameter count: a number with its noun, in the singular and the plural.
    package func words(_ count: (Int, String, String) -> String) -> String {
        let of = count(deliveries, "delivery", "deliveries")
        return [
            (deliveries + messages, count(messages, "message", "messages") + " of " + of),
            (
                subscribers,
                count(subscribers, "subscriber", "subscribers") + " whose tokens were in quarantine for long"
            ),
            (verdicts, count(verdicts, "verdict", "verdicts") + " that nobody came to believe"),
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
