internal import GatewayKit
internal import PushConnectors
package import PushModel
internal import PushStore
package import PushWire

/// Which accounts a delivery's messages wait for, because nothing goes through them now.
struct HeldDelivery {
    /// Each account once.
    let holds: [AccountHold]

    init(_ delivery: DeliverySummary, in operations: Operations) throws {
        let store = operations.store
        guard !delivery.state.isFinal, delivery.counts.pending + delivery.counts.retrying > 0,
            let order = try store.deliveries.delivery(delivery.id)?.order
        else {
            holds = []
            return
        }
        // Where the master does not answer, what is asked for beside it is shown all the same.
        let master = try? operations.engine.status()
        var holds: [AccountHold] = []
        for id in order.apps {
            // An app whose account cannot be worked out is the master's to complain of.
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

    /// What messages of the delivery to this app wait for: its refused topic, or a decision about its storm.
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

/// An account, or a topic of one, through which nothing goes now: what it is, and why.
package struct AccountHold: View, Equatable {
    package var account: String
    /// `stopped`, `waiting`, `probing` or `stalled`.
    package var state: String
    package var reason: String
    package var secondsUntilProbe: Int?
    /// When the wait ends; probes go out before. nil: it waits for no moment.
    package var until: WallTime?
    /// The topic that waits, while the account works; nil: the account does.
    package var topic: String?
    /// An app that goes through the account, where it was one that asked.
    package var app: String?

    /// nil where the account works.
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

    /// A storm that the store knows of, for when no master runs.
    init?(_ name: String, _ trust: AccountTrust?, app: String) {
        guard let since = trust?.stormSince else { return nil }
        account = name
        state = "stopped"
        reason =
            "since \(since.utcText) most of its answers call tokens bad; this storm waits for a decision"
        self.app = app
    }
}

/// Messages of a delivery that were sent again, so that they may have arrived more than once.
///
/// A gateway that closes without an answer leaves it open what arrived. The store keeps how often each
/// message was tried, not how each attempt ended: so of those that were sent after more than one attempt,
/// most were refused before.
/// **Not counted** is what was in the hands of a child or a master that died: it made no attempt that is on
/// disk. A child's death is in the log with that number (`messages without an outcome`); a master's leaves at
/// most what `status` last called unrecorded.
enum PossibleDuplicates {
    /// Costs what there is of messages that were tried more than once, not of messages.
    static func count(of delivery: DeliveryID, in deliveries: DeliveryReader) throws(StoreError) -> Int {
        try deliveries.sentAfterSeveralAttempts(delivery)
    }
}
