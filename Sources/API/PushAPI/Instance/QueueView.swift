internal import PushModel
internal import PushStore
internal import PushWire

/// The queue of an account: messages that wait in the store, and those that the running master has.
package struct QueueView: View, Equatable {
    package var account: String
    /// The value of ``AccountStatus/mark``. If an app's account cannot be determined, this is empty, and the
    /// app's name stands for the account's name.
    package var mark: String
    /// The names of the apps that have messages in the queue.
    package var apps: [String] = []
    /// The number of messages in the store that were never tried, including granted ones.
    package var pending: Int
    /// The number of messages in the store that were tried and will be tried again, including granted ones.
    package var retrying: Int
    /// The number of messages of paused deliveries, whether tried or not. No other figure includes them.
    package var paused: Int
    /// The number of messages that children have and that have not been answered yet.
    package var granted: Int
    /// The maximum number of messages that would be sent again if the service crashed now: those that are
    /// granted, and those that have been answered but not yet recorded.
    package var unrecorded: Int
    /// The number of seconds since the oldest waiting message could have been sent; `nil` if no messages
    /// wait, apart from those of paused deliveries.
    package var oldestSeconds: Int?
    /// The number of messages that were answered per second, within the last ten seconds.
    package var answersPerSecond: Double

    init(account: String, mark: String) {
        (self.account, self.mark) = (account, mark)
        (pending, retrying, paused, granted, unrecorded, answersPerSecond) = (0, 0, 0, 0, 0, 0)
    }

    private mutating func add(_ queue: AppQueue, at now: WallMoment) {
        pending += queue.pending
        retrying += queue.retrying
        paused += queue.paused
        guard let oldest = queue.oldest else { return }
        oldestSeconds = max(oldestSeconds ?? 0, Int(max(now.time.seconds(since: oldest.time), 0)))
    }

    private mutating func add(_ account: AccountStatus) {
        apps = account.apps.isEmpty ? apps : account.apps
        granted += account.granted
        unrecorded += account.outstanding
        answersPerSecond += account.answersPerSecond
    }

    private var isBusy: Bool { pending + retrying + paused + unrecorded > 0 || answersPerSecond > 0 }

    /// Returns the queues of all accounts that have work, ordered by name.
    /// - Parameter master: `nil` if no master is running.
    static func all(of master: MasterStatus?, in operations: Operations) throws -> [QueueView] {
        var views: [String: QueueView] = [:]
        let now = operations.clock.moment()
        for queue in try operations.store.queues.queues() {
            let (app, name, mark) = try account(of: queue.app, in: operations)
            let key = mark.isEmpty ? name : mark
            views[key, default: QueueView(account: name, mark: mark)].add(queue, at: now)
            if let app { views[key]?.apps.append(app) }
        }
        return merged(views, master)
    }

    /// Returns the queues according to the master's data alone, for use if the store cannot be read.
    static func all(of master: MasterStatus) -> [QueueView] { merged([:], master) }

    private static func merged(_ views: [String: QueueView], _ master: MasterStatus?) -> [QueueView] {
        var views = views
        for account in master?.accounts ?? [] {
            views[account.mark, default: QueueView(account: account.name, mark: account.mark)].add(account)
        }
        return views.values.filter(\.isBusy).sorted { ($0.account, $0.mark) < ($1.account, $1.mark) }
    }

    private static func account(
        of app: AppID, in operations: Operations
    ) throws -> (app: String?, name: String, mark: String) {
        guard let app = try operations.store.catalogue.app(app) else { return (nil, "app \(app)", "") }
        // If the credential of one app cannot be opened, the rest of the status is still useful.
        guard let account = try? operations.engine.account(of: app) else {
            return (app.name, "app \(app.name)", "")
        }
        return (app.name, account.name, account.mark.rawValue)
    }
}

/// Returns the waiting messages of each account. The console requests it, with the scope `read`.
package struct ShowQueues: ShortOperation {
    package static let name = "queue.list"

    package init() {}

    package func perform(in operations: Operations) throws -> [QueueView] {
        try QueueView.all(of: operations.engine.status(), in: operations)
    }
}
