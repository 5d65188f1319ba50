internal import GatewayKit
internal import PushConnectors
package import PushModel
package import PushStore

/// Why errors count against a subscriber's token: by whom, since when, and the delivery that caused it.
package struct SubscriberQuarantine: View, Equatable {
    package static let about = [
        "since": "when the state began",
        "reason": "the gateway's last reason code, or the operator's reason",
        "meaning": "what the reason code means; null if it is not a gateway's reason code",
        "section": "the section of the documentation that explains the reason code; null if there is none",
        "delivery": "the delivery whose message received the answer; null if there was none",
    ]

    package var since: WallTime
    package var lastErrorAt: WallTime
    package var source: QuarantineSource
    package var reason: String
    package var meaning: String?
    package var section: String?
    package var delivery: DeliveryID?

    init(_ entry: QuarantineEntry, of app: App) {
        (since, lastErrorAt, source) = (entry.since, entry.lastError, entry.source)
        (reason, delivery) = (entry.reason, entry.delivery)
        let answer = entry.source == .byHand ? nil : app.answer(to: entry.reason)
        (meaning, section) = (answer?.note.shortMeaning, answer?.link)
    }
}

extension App {
    /// Returns the explanation of a reason code of the app's gateway. If the app had another connector when
    /// it received the answer, the code may belong to another gateway.
    func answer(to reason: String) -> GatewayAnswer? {
        ConnectorCatalogue.entry(settings.connector)?.answer(to: reason)
            ?? ConnectorCatalogue.answer(to: reason)
    }
}
