internal import PushModel
internal import PushStore
internal import PushWire

/// What an account has before it: what waits in the store, and what the running master has of it.
package struct QueueView: View, Equatable {
    package var account: String
    /// As ``AccountStatus/mark``; where an app's account cannot be told, empty, and the app's name stands for the
    /// account's.
    package var mark: String
    /// In the store, granted ones included: never tried.
    package var pending: Int
    /// The same: tried, and to be tried again.
    package var retrying: Int
    /// Of paused deliveries, tried or not, and in no other figure.
    package var paused: Int
    /// With children, and not answered yet.
    package var granted: Int
    /// What a crash now would send again at most: granted, or answered and not yet recorded.
    package var unrecorded: Int
    /// Since the oldest of what waits could have been sent; nil: nothing waits but what is paused.
    package var oldestSeconds: Int?
    /// Messages that were answered a second, within the last ten.
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
        granted += account.granted
        unrecorded += account.outstanding
        answersPerSecond += account.answersPerSecond
    }

    private var isBusy: Bool { pending + retrying + paused + unrecorded > 0 || answersPerSecond > 0 }

    /// Of all accounts that have something to do, by name.
    /// - Parameter master: nil: none runs.
    static func all(of master: MasterStatus?, in operations: Operations) throws -> [QueueView] {
        var views: [String: QueueView] = [:]
        let now = operations.clock.moment()
        for queue in try operations.store.queues.queues() {
            let (name, mark) = try account(of: queue.app, in: operations)
            views[mark.isEmpty ? name : mark, default: QueueView(account: name, mark: mark)].add(
                queue, at: now)
        }
        return merged(views, master)
    }

    /// Where the store cannot be read.
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
    ) throws -> (name: String, mark: String) {
        guard let app = try operations.store.catalogue.app(app) else { return ("app \(app)", "") }
        // Of one whose credential does not open the rest of the status is worth no less.
        guard let account = try? operations.engine.account(of: app) else { return ("app \(app.name)", "") }
        return (account.name, account.mark.rawValue)
    }
}
