package import PushModel

/// Determines which receivers are to be sent events now. The plan sends and reads nothing; time is an
/// argument.
///
/// **Promises.** A receiver has at most one request at a time, and none before its next attempt is due or
/// while it is disabled. A request to a receiver that was changed or deleted is cancelled. No receiver waits
/// for another.
package struct WebhookPlan: Sendable {
    /// A webhook as stored.
    package struct StoredWebhook: Equatable, Sendable {
        package var id: WebhookID
        /// A value that changes when a request that is under way must be cancelled.
        package var mark: String
        package var isEnabled: Bool
        /// The moment before which the webhook is not tried again.
        package var next: WallMoment?
        /// The number of events in the outbox after the webhook's cursor.
        package var behind: Int64

        package init(id: WebhookID, mark: String, isEnabled: Bool, next: WallMoment?, behind: Int64) {
            self.id = id
            self.mark = mark
            self.isEnabled = isEnabled
            self.next = next
            self.behind = behind
        }
    }

    package enum Action: Equatable, Sendable {
        /// Send the next events to the receiver, if there are any for it.
        case tell(WebhookID)
        /// Cancel the request that is under way.
        case cancel(WebhookID)
    }

    /// The requests that are under way, with the webhook's mark when the request started.
    private var underWay: [WebhookID: String] = [:]

    package init() {}

    package var isIdle: Bool { underWay.isEmpty }

    /// - Parameter webhooks: All webhooks that exist.
    package mutating func see(_ webhooks: [StoredWebhook], at now: WallMoment) -> [Action] {
        var actions: [Action] = []
        let present = Dictionary(webhooks.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for (id, mark) in underWay.sorted(by: { $0.key < $1.key }) {
            guard present[id].map({ !$0.isEnabled || $0.mark != mark }) ?? true else { continue }
            actions.append(.cancel(id))
            underWay[id] = nil
        }
        for webhook in webhooks where underWay[webhook.id] == nil && Self.isDue(webhook, at: now) {
            actions.append(.tell(webhook.id))
            underWay[webhook.id] = webhook.mark
        }
        return actions
    }

    /// Records that the request was answered and that no other request to the receiver follows immediately.
    package mutating func ended(_ id: WebhookID) { underWay[id] = nil }

    private static func isDue(_ webhook: StoredWebhook, at now: WallMoment) -> Bool {
        guard webhook.isEnabled, webhook.behind > 0 else { return false }
        guard let next = webhook.next, next > now else { return true }
        // No back-off is longer than the maximum. If the wait is longer, the clock was set back.
        let wait = next.millisecondsSince1970.clampedDifference(now.millisecondsSince1970)
        return wait > WebhookBackOff.maxMilliseconds
    }
}
