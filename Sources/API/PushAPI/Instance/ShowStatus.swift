internal import PushConfig
internal import PushModel
internal import PushStore

/// Shows the running master, its children and accounts, and the deliveries that have not ended.
package struct ShowStatus: ShortOperation, UseCase {
    package static let name = "status"
    package static let operation = Operation(
        .get, "/status", .read, "Returns the status of the running service, its accounts and its queues.",
        asksMaster: true, reach: .instance)
    package static let members: [Member<Self>] = []

    /// The maximum number of deliveries that are read, the newest first. ``ListDeliveries`` finds older
    /// deliveries that have not ended.
    private static let deliveriesLookedAt = 1_000

    package init() {}

    package func perform(in operations: Operations) throws -> StatusView {
        let master = try operations.engine.status()
        let now = operations.clock.moment()
        let deliveries = try operations.store.deliveries.list(limit: Self.deliveriesLookedAt)
            .filter { !$0.state.isFinal }
        let held = try operations.store.repair.held()
        let holds = Dictionary(held.map { ($0.delivery, $0) }, uniquingKeysWith: { first, _ in first })
        let environments = try operations.store.deliveries.environments(of: deliveries.map(\.id))
        let limits = try PresentLimits(of: deliveries, master, in: operations)
        return StatusView(
            store: operations.store.path, running: master != nil,
            verifyMode: operations.settings.mta.verifyMode, master: master,
            deliveries: deliveries.map { delivery in
                var view = DeliveryView(
                    delivery, of: environments[delivery.id], at: now, held: holds[delivery.id])
                limits?.add(to: &view, of: delivery, at: now)
                return view
            },
            damaged: held.map(DamagedDeliveryView.init),
            queues: try QueueView.all(of: master, in: operations),
            waitingVerdicts: try WaitingVerdictsView.all(in: operations),
            webhooks: try operations.store.webhooks.list().map { WebhookView($0, at: now) },
            size: try operations.store.size(),
            hosts: try operations.carryOutHere(ListHosts()))
    }
}
