internal import GatewayKit
internal import PushConnectors
package import PushModel
internal import PushStore
package import PushWire

/// The accounts that hold up a delivery: its messages wait because these accounts, or some of their topics,
/// send no messages at present.
struct HeldDelivery {
    /// Each account appears once.
    let holds: [AccountHold]

    /// - Parameter master: `nil` if no master answers.
    init(_ delivery: DeliverySummary, _ master: MasterStatus?, in operations: Operations) throws {
        let store = operations.store
        guard !delivery.state.isFinal, delivery.counts.pending + delivery.counts.retrying > 0,
            let order = try store.deliveries.delivery(delivery.id)?.order
        else {
            holds = []
            return
        }
        var holds: [AccountHold] = []
        for id in order.apps {
            // If the account of an app cannot be determined, the master reports that.
            guard let app = try store.catalogue.app(id), let account = try? operations.engine.account(of: app)
            else {
                continue
            }
            let status = master?.accounts.first { $0.mark == account.mark.rawValue }
            let hold: AccountHold?
            if master != nil {
                hold = status.flatMap { AccountHold($0, app: app.name) }
            } else {
                let storm = try store.trust.trusts().first {
                    $0.stormSince != nil && account.mark.includes($0.mark)
                        && ($0.mark.app ?? app.id) == app.id
                }
                hold = AccountHold(account.name, storm, app: app.name)
            }
            holds += status.map { Self.topics(of: $0, app, order) } ?? []
            if let hold, !holds.contains(where: { $0.account == hold.account && $0.topic == nil }) {
                holds.append(hold)
            }
        }
        self.holds = holds
    }

    /// Returns what the delivery's messages to this app are waiting for: the refused topic, or a decision
    /// about the app's storm.
    private static func topics(of account: AccountStatus, _ app: App, _ order: DeliveryOrder) -> [AccountHold]
    {
        let bundleID = app.settings.bundleID
        let entry = ConnectorCatalogue.speaking(for: app.settings)
        let own = (try? ConnectorCatalogue.contents.decode(order.contentJSON)).flatMap {
            entry?.topic($0, bundleID)
        }
        return account.topics.filter { $0.waitingRanges > 0 && ($0.name == own || $0.app == app.name) }.map {
            AccountHold($0, of: account, app: app.name)
        }
    }
}

/// An account, or a topic of an account, that sends no messages at present, and the reason.
package struct AccountHold: View, Equatable {
    package var account: String
    /// `stopped`, `waiting`, `probing` or `stalled`.
    package var state: String
    package var reason: String
    package var secondsUntilProbe: Int?
    /// The end of the wait; probes are sent before it. `nil` if the wait has no fixed end.
    package var until: WallTime?
    /// The topic that waits while the account works; `nil` if the account waits.
    package var topic: String?
    /// An app whose messages go through the account, if the request was made for an app.
    package var app: String?

    /// Returns `nil` if the account works.
    package init?(_ account: AccountStatus, app: String? = nil) {
        guard account.state != "working" else { return nil }
        self.account = account.name
        state = account.state
        reason = account.reason
        secondsUntilProbe = account.secondsUntilProbe
        until = account.waitEndsAt
        self.app = app
    }

    package init(_ topic: AccountStatus.Topic, of account: AccountStatus, app: String? = nil) {
        self.account = account.name
        self.topic = topic.name
        state = topic.state
        reason = topic.reason
        secondsUntilProbe = topic.secondsUntilProbe
        self.app = app
    }

    /// Creates a hold for a storm in the store, for use when no master is running.
    init?(_ name: String, _ trust: AccountTrust?, app: String) {
        guard let since = trust?.stormSince else { return nil }
        account = name
        state = "stopped"
        reason =
            """
            since \(since.utcText), most answers to the account have rejected tokens; this storm waits for a \
            decision
            """
        self.app = app
    }
}

/// Messages of a delivery that were sent again, so that they may have arrived more than once.
///
/// If a gateway closes a connection without an answer, it is unknown which messages arrived. The store keeps
/// the number of attempts for each message, not the result of each attempt. All messages that were sent after
/// more than one attempt are therefore counted, although the gateway had refused the earlier attempts of most
/// of them, so that they arrived only once. Messages that a child or a master had when it died are not
/// counted, because the store contains no record of their attempts. The log reports the death of a child with
/// the number of these messages (`messages without an outcome`). After the death of a master, their number is
/// at most the number of unrecorded messages in the last `status`.
enum PossibleDuplicates {
    /// Takes time in proportion to the number of messages that were tried more than once, not to the number
    /// of all messages.
    static func count(of delivery: DeliveryID, in deliveries: DeliveryReader) throws(StoreError) -> Int {
        try deliveries.sentAfterSeveralAttempts(delivery)
    }
}
