internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWebhooks
internal import Synchronization

/// Sends a receiver one event `ping` now, whether it is enabled or not, and says what it answered. Nothing else
/// is changed by that.
package struct TestWebhook: WaitingOperation {
    package static let name = "webhook.test"

    package var name: String

    package init(name: String) { self.name = name }

    /// A receiver may hang, and with it a thread: one of those that serve others at most.
    private static let isUnderWay = Mutex(false)

    package func perform(in operations: Operations) throws -> TestedWebhook {
        let now = operations.clock.moment()
        let webhook = try operations.requireWebhook(name)
        let secrets = try operations.store.webhooks.secrets(of: name, key: try operations.key(), at: now)
        guard let secrets else {
            throw StoreError(.unknown(.webhook, name: name), path: operations.store.path)
        }
        let mayBegin = Self.isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard mayBegin else {
            throw OperationError(.unavailable, "another webhook is being tested; try again in a moment")
        }
        defer { Self.isUnderWay.withLock { $0 = false } }
        let answer = try WebhookPing().send(to: webhook, secrets: secrets, at: now)
        return TestedWebhook(name: name, taken: answer.meaning == .taken, answer: answer.text)
    }
}

package struct TestedWebhook: View, Equatable {
    package var name: String
    /// Whether the receiver took it.
    package var taken: Bool
    /// What it said, or what came of it instead.
    package var answer: String
}
