internal import Logging
internal import PushModel
internal import PushSchedule

/// Several hosts that send from one store. Each host has its own parts and its share of quotas and rates.
extension MasterMachine {
    private static let secondsUntilPartsAreFree: Int64 = 3
    /// The interval, in seconds, at which this host, while it has something to send, searches for parts that
    /// other hosts left behind or released.
    private static let secondsBetweenSearches = 10
    /// How long the information about which hosts have which parts is valid. The information is refreshed
    /// each second.
    private static let secondsGoodFor = 2

    /// Whether this host is one of several hosts. If so, other hosts may have parts that this host does not
    /// find, and may leave parts behind.
    var isOneOfSeveral: Bool { lease != nil }

    mutating func lead() {
        log(.notice, "this host leads: it prepares, expires and removes messages for all hosts")
        act(.lead)
        write(.look)
    }

    /// Called each second until the master has ended.
    mutating func drain(_ why: String) {
        guard endDeadline == nil else { return }
        log(.notice, "finishing the work in progress: \(why)")
        shutDown(withinSeconds: nil, restarts: true)
    }

    mutating func share(_ live: Int, asOf moment: Int64) {
        if live < liveHosts {
            // After this time, any host may take the parts of a host that has left. The search begins even if
            // ranges on this host wait for an account or a rate, because possibly no other host looks for
            // these parts.
            search.scheduleRestart(at: now.advanced(bySeconds: Self.secondsUntilPartsAreFree))
        }
        if live != liveHosts {
            log(.notice, "\(live) hosts share the store: each uses 1/\(live) of quotas and rates")
            liveHosts = live
            obey(ledger.handle(.shared(among: live), at: now))
            act(.sharing(live))
            // An idle host that was alone polls the store rarely. It must now poll more often, because it is
            // not notified of messages that other hosts accept.
            write(.look)
        }
        write(.lookAround(asOf: moment))
    }

    /// Records that this host knows all deliveries that were paused or stopped before the given moment.
    mutating func lookedAround(asOf moment: Int64) {
        obeyingUpTo = moment
        noteStopped()
    }

    /// Reports the moment once no child can begin a request for a delivery that was stopped before that
    /// moment.
    mutating func noteStopped() {
        guard let moment = obeyingUpTo, stopping.values.allSatisfy(\.waitsFor.isEmpty) else { return }
        obeyingUpTo = nil
        act(.obeyed(moment))
    }

    func sharingOrder() -> SharingOrder {
        var order = SharingOrder()
        if liveHosts == 1 { order.messagesAtOnce = max(order.messagesAtOnce, 2 * settings.capacity) }
        // Another host may be able to send for an account that cannot send on this host.
        for account in ledger.sickAccounts(at: now) {
            let apps = appsOf[account.id, default: [:]].keys
            order.sick.formUnion(apps)
            if account.mayAsk { order.asking.formUnion(apps) }
            if account.isIdle, !account.mayAsk { order.idle.formUnion(apps) }
        }
        let limited = ledger.limited
        order.deliveries = limited.deliveries
        for account in limited.accounts { order.apps[account] = Array(appsOf[account, default: [:]].keys) }
        return order
    }

    mutating func learn(_ parts: PartHolders) {
        secondsSinceHeld = 0
        guard liveHosts > 1 else { return }
        obey(ledger.handle(.held(parts), at: now))
    }

    /// Once a second, reports this host's load, and searches for parts that other hosts prepared or that a
    /// departed host left behind.
    mutating func searchWithOtherHosts() {
        guard isOneOfSeveral else { return }
        let rate = traffic.values.reduce(0) { $0 + $1.rate.perSecond(at: now) }
        act(.busy(unrecorded: ledger.unrecorded, answersPerSecond: Int(rate.rounded())))
        search.resume()
        secondsSinceSearch += 1
        secondsSinceHeld += 1
        // Without current information, this host uses only an equal share.
        if secondsSinceHeld > Self.secondsGoodFor, liveHosts > 1 {
            obey(ledger.handle(.shared(among: liveHosts), at: now))
        }
        guard ledger.waitingRanges == 0 || secondsSinceSearch >= Self.secondsBetweenSearches else { return }
        secondsSinceSearch = 0
        search.scheduleRestart(at: now)
    }
}
