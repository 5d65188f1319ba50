internal import GatewayKit
internal import PushConfig
internal import PushConnectors
package import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// Figures for metrics about the store and its disk. They are read together, and reading them waits for the
/// store.
package struct StoreFigures: Sendable {
    package struct Queue: Sendable {
        /// The name of the account that the app's messages go through.
        package var account: String
        package var pending: Int
        package var retrying: Int
        /// The number of messages of paused deliveries. No other figure includes them, because no operator
        /// waits for them.
        package var paused: Int
        /// The number of seconds since the start of the oldest delivery that has waiting messages; 0 if there
        /// is none.
        package var oldestSeconds: Int
        /// The number of seconds since the earliest retry became due; 0 if no retry is due.
        package var overdueSeconds: Int
    }

    /// One queue for each app that has waiting messages.
    package var queues: [Queue]
    /// The number of deliveries that have not ended, keyed by state.
    package var deliveries: [String: Int]
    /// The number of deliveries that are on hold.
    package var held: Int
    package var size: StoreSize
    /// The memory that the database engine uses in this process; `nil` if the database is a server.
    package var memoryBytes: Int?
    /// The free space on the store's disk; `nil` if it cannot be determined.
    package var diskFreeBytes: Int?
    /// The times at which the certificates of accounts expire, keyed by the account's name.
    package var credentialEnds: [String: WallTime]
    package var webhooks: [WebhookView]
    /// The hosts that share the store; empty if the kind of store allows only one host.
    package var hosts: [HostView]
    /// The problem with the file of the instance's key; `nil` if there is none. The key itself is in the
    /// memory of this process.
    package var keyFailure: String?

    package init(_ operations: Operations, _ credentials: CredentialCalendar) throws(OperationError) {
        do {
            let store = operations.store
            let now = operations.clock.moment()
            let apps = try store.catalogue.apps()
            let isRehearsal = operations.settings.mta.verifyMode
            let names = Dictionary(
                apps.map { ($0.id, $0.accountName(isRehearsal: isRehearsal)) }, uniquingKeysWith: { $1 })
            queues = try store.queues.queues().map { queue in
                Queue(
                    account: names[queue.app] ?? "removed", pending: queue.pending, retrying: queue.retrying,
                    paused: queue.paused,
                    oldestSeconds: Int(max(queue.oldest.map { now.time.seconds(since: $0.time) } ?? 0, 0)),
                    overdueSeconds: Int(max(queue.nextDue.map { now.time.seconds(since: $0) } ?? 0, 0)))
            }
            deliveries = [:]
            for state in [DeliveryState.startPending, .preparing, .inProgress, .paused, .stopping] {
                deliveries[state.rawValue] = 0
            }
            for (state, count) in try store.queues.deliveries() { deliveries[state.rawValue] = count }
            webhooks = try store.webhooks.list().map { WebhookView($0, at: now) }
            keyFailure = store.keyFailure().map { "\($0)" }
            held = try store.repair.held().count
            hosts = try operations.carryOutHere(ListHosts())
            size = try store.size()
            memoryBytes = store.memoryBytes
            diskFreeBytes = FreeSpace(nextTo: store.instancePath)?.bytes
            credentialEnds = try credentials.ends(of: apps, operations)
        } catch { throw OperationError(error) }
    }
}

extension App {
    /// Returns the name of the account that the app's messages go through.
    package func accountName(isRehearsal: Bool) -> String {
        let connector = isRehearsal ? ConnectorName.stub : settings.connector
        return AccountKey.accountName(
            connector, settings.environment, identity: settings.credentialIdentity)
    }
}

/// The times at which certificates expire. The credential of an app is unsealed only once after each change
/// of the app.
package final class CredentialCalendar: Sendable {
    private struct Known {
        var revision: Int64
        var end: WallTime?
    }

    private let known = Mutex<[AppID: Known]>([:])

    package init() {}

    func ends(of apps: [App], _ operations: Operations) throws -> [String: WallTime] {
        let revisions = try operations.store.catalogue.revisions()
        var ends: [String: WallTime] = [:]
        for app in apps {
            guard let end = try end(of: app, revision: revisions[app.id] ?? 0, operations) else { continue }
            let name = app.accountName(isRehearsal: false)
            ends[name] = min(ends[name] ?? end, end)
        }
        let present = Set(apps.map(\.id))
        known.withLock { $0 = $0.filter { present.contains($0.key) } }
        return ends
    }

    private func end(of app: App, revision: Int64, _ operations: Operations) throws -> WallTime? {
        let kinds = ConnectorCatalogue.entry(app.settings.connector)?.credentials ?? []
        guard kinds.contains(.apnsCertificate) else { return nil }
        if let known = known.withLock({ $0[app.id] }), known.revision == revision { return known.end }
        // If a credential cannot be unsealed, only its app is affected, and the master reports this.
        let order = try? operations.engine.account(of: app).order
        let end = order.flatMap(AccountExplanation.Credential.end)
        known.withLock { $0[app.id] = Known(revision: revision, end: end) }
        return end
    }
}
