package import PushModel

/// Which receivers are to be told something now. Sends nothing, reads nothing; time is an argument.
///
/// **Promises.** A receiver has one request at a time, and none before its time has come or while it is
/// disabled. What is under way to one that was changed or deleted is given up. None waits for another.
package struct WebhookPlan: Sendable {
    /// A webhook as the store has it.
    package struct Sight: Equatable, Sendable {
        package var id: WebhookID
        /// Another one where what is under way is not to be sent any more.
        package var mark: String
        package var isEnabled: Bool
        /// Before it is not tried again.
        package var next: WallMoment?
        /// Events behind its cursor.
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
        /// Tell it what comes next, or find that there is nothing for it.
        case tell(WebhookID)
        /// Give up what is under way.
        case cancel(WebhookID)
    }

    /// What is under way, with the mark of then.
    private var underWay: [WebhookID: String] = [:]

    package init() {}

    package var isIdle: Bool { underWay.isEmpty }

    /// - Parameter webhooks: all that there are.
    package mutating func see(_ webhooks: [Sight], at now: WallMoment) -> [Action] {
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

    /// What it was told has its answer, and nothing follows at once.
    package mutating func ended(_ id: WebhookID) { underWay[id] = nil }

    private static func isDue(_ webhook: Sight, at now: WallMoment) -> Bool {
        guard webhook.isEnabled, webhook.behind > 0 else { return false }
        guard let next = webhook.next, next > now else { return true }
        // The clock was set back: no back-off is so long.
        let wait = next.millisecondsSince1970.clampedDifference(now.millisecondsSince1970)
        return wait > WebhookBackOff.longestMilliseconds
    }
}
