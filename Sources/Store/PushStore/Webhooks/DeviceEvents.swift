internal import PushModel
internal import PushQueue

/// Subscriptions that devices or operators changed, for webhooks that subscribe to such events.
struct DeviceEvents {
    private struct Key: Hashable, Comparable {
        var app: Int64
        var kind: Int64
        var source: Int64?

        static func < (left: Self, right: Self) -> Bool {
            (left.app, left.kind, left.source ?? 0) < (right.app, right.kind, right.source ?? 0)
        }
    }

    private var subscriptions: [Key: [Int64]] = [:]

    /// - Parameter source: Who recorded an opt-out.
    mutating func note(_ kind: WebhookEventKind, _ changed: [Int64], by source: OptOutSource? = nil) {
        for subscription in changed {
            let app = SubscriptionRange.app(of: subscription).rawValue
            subscriptions[Key(app: app, kind: kind.rawValue, source: source?.rawValue), default: []].append(
                subscription)
        }
    }

    func write(_ wanted: WantedEvents, at now: WallMoment, _ db: any Session) throws {
        // If nothing was noted, the answer is not needed, but the statement must be ended.
        let kinds = try wanted.kinds
        for (key, found) in subscriptions.sorted(by: { $0.key < $1.key }) {
            guard let kind = WebhookEventKind(rawValue: key.kind), kinds.contains(kind) else { continue }
            var numbers = MarkedNumbers()
            for subscription in found {
                numbers.entries.append(
                    .init(number: subscription, millisecondsSince1970: now.millisecondsSince1970))
            }
            let record = EventRecord(
                kind: kind, app: AppID(rawValue: key.app), at: now, count: found.count, source: key.source,
                events: numbers.encoded)
            try record.append(db)
        }
    }
}
