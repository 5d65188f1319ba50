internal import PushModel
internal import PushStore
internal import PushWire

/// What limits deliveries at present, and how long their remaining messages will take, according to the
/// running master.
struct PresentLimits {
    /// The marks of the accounts that each delivery's messages go through.
    private var accounts: [DeliveryID: Set<String>] = [:]
    /// The limits of the accounts, by ``AccountStatus/mark``.
    private let limits: [String: SendingLimit]
    private let sending: [Int64: MasterStatus.Sending]
    /// Whether the master's rates include everything that is sent from the store.
    private let isAlone: Bool

    /// - Parameter master: `nil` if no master is running.
    /// - Returns: `nil` if nothing limits deliveries because no master is running, or because all deliveries
    ///   have ended.
    init?(of deliveries: [DeliverySummary], _ master: MasterStatus?, in operations: Operations) throws {
        let open = deliveries.filter { !$0.state.isFinal }.map(\.id)
        guard let master, !open.isEmpty else { return nil }
        limits = Dictionary(
            master.accounts.compactMap { account in account.limitedBy.map { (account.mark, $0) } },
            uniquingKeysWith: { first, _ in first })
        sending = Dictionary(
            (master.sending ?? []).map { ($0.delivery, $0) }, uniquingKeysWith: { first, _ in first })
        isAlone = try !OtherHosts(operations).exist
        var marks: [AppID: String] = [:]
        for (delivery, apps) in try operations.store.deliveries.apps(of: open) {
            for id in apps {
                if marks[id] == nil, let app = try operations.store.catalogue.app(id) {
                    // If the account of an app cannot be determined, the master reports that.
                    marks[id] = (try? operations.engine.account(of: app))?.mark.rawValue
                }
                if let mark = marks[id] { accounts[delivery, default: []].insert(mark) }
            }
        }
    }

    /// Adds the limit and the remaining time to the view of a delivery that has not ended.
    func add(to view: inout DeliveryView, of delivery: DeliverySummary, at now: WallMoment) {
        guard !delivery.state.isFinal else { return }
        let master = sending[delivery.id.rawValue]
        var sight = SendingLimit.DeliveryFigures()
        sight.left = delivery.counts.pending + delivery.counts.retrying
        sight.isPreparing = delivery.state == .preparing
        sight.isHeld = view.held != nil || view.damage != nil
        sight.isPaused = delivery.state == .paused
        sight.isAtRate = master?.isAtRate == true
        sight.accounts = accounts[delivery.id, default: []].compactMap { limits[$0] }
        let limit = SendingLimit(sight)
        var pace = DeliveryPace()
        pace.left = sight.isPreparing ? nil : sight.left
        pace.ended = delivery.counts.sent + delivery.counts.failed
        pace.secondsSinceStart = delivery.started.map { now.seconds(since: $0) } ?? 0
        pace.recentPerSecond = isAlone ? master?.answersPerSecond ?? 0 : nil
        pace.limit = limit
        view.limitedBy = limit
        view.secondsLeft = pace.secondsLeft
    }
}
