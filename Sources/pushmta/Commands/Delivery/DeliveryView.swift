internal import PushModel
internal import PushStore
internal import PushWire

/// A delivery as it is shown, here and later by the API.
enum DeliveryView {
    /// - Parameters:
    ///   - waitsFor: accounts through which nothing goes now; the key is there only where there is one.
    ///   - possibleDuplicates: the key is there only where they were counted.
    static func json(
        _ delivery: DeliverySummary, at now: WallMoment, waitsFor holds: [AccountHold] = [],
        possibleDuplicates: Int? = nil
    ) -> JSONValue {
        var members = members(delivery, at: now)
        if let possibleDuplicates {
            members.append(JSONMember(key: "possibleDuplicates", value: .integer(possibleDuplicates)))
        }
        if !holds.isEmpty { members.append(JSONMember(key: "waitsFor", value: .array(holds.map(\.json)))) }
        return .object(members)
    }

    private static func members(_ delivery: DeliverySummary, at now: WallMoment) -> [JSONMember] {
        let counts = delivery.counts
        let values: [(String, JSONValue)] = [
            ("id", .integer(delivery.id.rawValue)),
            ("label", .string(delivery.label)),
            ("state", .string(delivery.state.rawValue)),
            ("counts", [
                "targeted": .integer(counts.targeted),
                "excluded": .integer(counts.excluded),
                "pending": .integer(counts.pending),
                "sent": .integer(counts.sent),
                "retrying": .integer(counts.retrying),
                "failed": .integer(counts.failed),
                "cancelled": .integer(counts.cancelled),
                // Devices do not report to this version.
                "received": .integer(0),
                "clicked": .integer(0),
            ]),
            ("startedAt", .string(delivery.started?.utcText)),
            ("finishedAt", .string(delivery.finished?.utcText)),
            ("messagesPerSecond", .measure(delivery.messagesPerSecond(at: now))),
        ]
        return values.map { JSONMember(key: $0.0, value: $0.1) }
    }

    static func fields(_ delivery: DeliverySummary, at now: WallMoment) -> [(name: String, value: String)] {
        let counts = delivery.counts
        return [
            ("id", "\(delivery.id)"),
            ("label", delivery.label),
            ("state", delivery.state.rawValue),
            ("targeted", Numerals.grouped(counts.targeted)),
            ("excluded", Numerals.grouped(counts.excluded)),
            ("pending", Numerals.grouped(counts.pending)),
            ("sent", Numerals.grouped(counts.sent)),
            ("retrying", Numerals.grouped(counts.retrying)),
            ("failed", Numerals.grouped(counts.failed)),
            ("cancelled", Numerals.grouped(counts.cancelled)),
            ("started", delivery.started?.utcText ?? "not yet"),
            ("finished", delivery.finished?.utcText ?? "not yet"),
            ("rate", rate(delivery, at: now)),
        ]
    }

    /// `8 333/s`; empty where there is none yet.
    static func rate(_ delivery: DeliverySummary, at now: WallMoment) -> String {
        delivery.messagesPerSecond(at: now).map { "\(Numerals.grouped(Int($0.rounded())))/s" } ?? ""
    }
}
