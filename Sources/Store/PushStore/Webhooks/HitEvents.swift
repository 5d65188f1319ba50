internal import PushModel
internal import PushQueue

/// First reports about messages, for webhooks that subscribe to such events. A click on a message without
/// earlier reports also means that the message was received. Statistics count such a click in the same way.
struct HitEvents {
    private struct Key: Hashable, Comparable {
        var delivery: Int64
        var app: Int64
        var kind: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.delivery, left.app, left.kind) < (right.delivery, right.app, right.kind)
        }
    }

    private let hits: [HitRecord]
    private let firsts: [HitFirst]

    /// - Parameter firsts: Those reports of these hits that are the first of their kind for their message.
    init(_ hits: [HitRecord], _ firsts: [HitFirst]) {
        self.hits = hits
        self.firsts = firsts
    }

    func write(_ wanted: WantedEvents, _ db: any Session) throws {
        guard !firsts.isEmpty else { return }
        let kinds = try wanted.kinds
        var told: [Key: MarkedNumbers] = [:]
        for first in firsts where kinds.contains(WebhookEventKind(first.kind)) {
            let hit = hits[first.hit]
            let key = Key(
                delivery: hit.delivery.rawValue, app: hit.app.rawValue,
                kind: WebhookEventKind(first.kind).rawValue)
            told[key, default: MarkedNumbers()].entries.append(
                .init(number: hit.message.rawValue, millisecondsSince1970: hit.at.millisecondsSince1970))
        }
        for (key, numbers) in told.sorted(by: { $0.key < $1.key }) {
            guard let kind = WebhookEventKind(rawValue: key.kind) else { continue }
            let last = numbers.entries.reduce(Int64.min) { max($0, $1.millisecondsSince1970) }
            let record = EventRecord(
                kind: kind, app: AppID(rawValue: key.app), delivery: DeliveryID(rawValue: key.delivery),
                at: WallMoment(millisecondsSince1970: last), count: numbers.entries.count,
                events: numbers.encoded)
            try record.append(db)
        }
    }
}

/// The first report of its kind for a message.
struct HitFirst {
    var kind: HitKind
    /// The index of the hit that contains the report.
    var hit: Int
}
