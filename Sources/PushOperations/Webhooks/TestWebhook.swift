internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWebhooks

/// Sends a webhook one event `ping` now, whether it is enabled or not, and reports the answer. This changes nothing
/// else.
package struct TestWebhook: WaitingOperation, UseCase {
    package static let name = "webhook.test"
    package static let operation = Operation(
        .post, "/webhooks/{name}/test", .admin,
        "Sends it one event `ping` now and reports its answer. Takes up to 15 seconds.")
    package static let members: [Member<Self>] = [.path(\.name, "name", WebhookFields.nameHelp)]

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func perform(in operations: Operations) throws -> TestedWebhook {
        let now = operations.clock.moment()
        let webhook = try operations.requireWebhook(name)
        let secrets = try operations.store.webhooks.secrets(of: name, key: try operations.key(), at: now)
        guard let secrets else {
            throw StoreError(.unknown(.webhook, name: name), path: operations.store.path)
        }
        // A receiver may hang, and a thread with it: at most one of the threads that serve others.
        let answer = try operations.waits.alone("a webhook's test") {
            try WebhookPing().send(to: webhook, secrets: secrets, at: now)
        }
        return TestedWebhook(name: name, taken: answer.meaning == .taken, answer: answer.text)
    }
}

package struct TestedWebhook: View, Equatable {
    package static let about = [
        "taken": "whether it accepted the event", "answer": "its answer, or why there was none",
    ]

    package var name: String
    package var taken: Bool
    package var answer: String
}
