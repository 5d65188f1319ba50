internal import PushModel
internal import PushStore
internal import PushWire

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
        let own = (try? ContentDocument.decode(order.contentJSON)).map {
            APNsHeading($0.ios).topic(of: bundleID)
        }
        return account.topics.filter { $0.waitingRanges > 0 && ($0.name == own || $0.app == app.name) }.map {
            AccountHold($0, of: account, app: app.name)
        }
    }
}
