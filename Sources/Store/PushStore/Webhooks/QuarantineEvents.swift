internal import PushModel
internal import PushQueue

/// Subscriptions that deliveries leave out from now on, for webhooks that subscribe to such events.
struct QuarantineEvents {
    private struct Key: Hashable, Comparable {
        var app: Int64
        var delivery: Int64
        var word: String

        static func < (left: Self, right: Self) -> Bool {
            (left.app, left.delivery, left.word) < (right.app, right.delivery, right.word)
        }
    }

    /// The subscriptions, grouped by the delivery whose message received the answer; 0 means none.
    private var subscriptions: [Key: [Int64]] = [:]
    private let source: QuarantineSource

    init(_ verdicts: [HeldVerdict]) {
        source = .answer
        for verdict in verdicts {
            let app = SubscriptionRange.app(of: verdict.subscription)
            let key = Key(app: app.rawValue, delivery: verdict.delivery.rawValue, word: verdict.reason)
            subscriptions[key, default: []].append(verdict.subscription)
        }
    }

    init(_ findings: [FeedbackFinding], of app: AppID) {
        source = .feedback
        let found = findings.compactMap { $0.subscription?.rawValue }
        if !found.isEmpty {
            subscriptions[Key(app: app.rawValue, delivery: 0, word: FeedbackWriter.reason)] = found
        }
    }

    init(byHand subscription: Int64, reason: String) {
        source = .byHand
        let app = SubscriptionRange.app(of: subscription)
        subscriptions[Key(app: app.rawValue, delivery: 0, word: reason)] = [subscription]
    }

    func write(at now: WallMoment, _ db: any Session) throws {
        guard !subscriptions.isEmpty, try WantedEvents(db).kinds.contains(.quarantined) else { return }
        for (key, found) in subscriptions.sorted(by: { $0.key < $1.key }) {
            var numbers = MarkedNumbers()
            for subscription in found {
                numbers.entries.append(
                    .init(number: subscription, millisecondsSince1970: now.millisecondsSince1970))
            }
            let record = EventRecord(
                kind: .quarantined, app: AppID(rawValue: key.app),
                delivery: key.delivery > 0 ? DeliveryID(rawValue: key.delivery) : nil, at: now,
                count: found.count, word: key.word, source: source.rawValue, events: numbers.encoded)
            try record.append(db)
        }
    }
}
