internal import PushMaster
internal import PushModel
internal import PushStore

/// Which accounts a delivery's messages wait for, because nothing goes through them now.
struct HeldDelivery {
    let holds: [(app: String, hold: AccountHold)]

    init(_ delivery: DeliverySummary, in store: Store, of instance: Instance) throws {
        guard !delivery.state.isFinal, delivery.counts.pending + delivery.counts.retrying > 0,
            let order = try store.deliveries.delivery(delivery.id)?.order
        else {
            holds = []
            return
        }
        let master = instance.masterStatus
        var holds: [(app: String, hold: AccountHold)] = []
        for id in order.apps {
            // An app whose account cannot be worked out is the master's to complain of.
            guard let app = try store.catalogue.app(id),
                let account = try? AppAccount(of: app, in: store, of: instance)
            else { continue }
            let hold: AccountHold?
            if let master {
                hold = master.accounts.first { $0.mark == account.mark.rawValue }.flatMap(AccountHold.init)
            } else {
                let storm = try store.trust.trusts().first { $0.stormSince != nil && account.mark.includes($0.mark) }
                hold = AccountHold(account.definition.name, storm)
            }
            if let hold, !holds.contains(where: { $0.hold == hold }) { holds.append((app.name, hold)) }
        }
        self.holds = holds
    }
}
