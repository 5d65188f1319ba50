internal import Logging
internal import PushModel
internal import PushSchedule

/// Where several hosts send from one store: each its own parts, with its share of quotas and rates.
extension MasterMachine {
    private static let secondsUntilPartsAreFree: Int64 = 3
    /// While there is something to send: what others left behind, or let go, is found by then.
    private static let secondsBetweenSearches = 10
    /// Who has what is looked at each second.
    private static let secondsGoodFor = 2

    /// Whether others may have parts that are not found here, and leave some behind.
    var isOneOfSeveral: Bool { lease != nil }

    mutating func lead() {
        log(.notice, "this host leads: it prepares, expires and removes for all hosts")
        act(.lead)
        write(.look)
    }

    /// Said each second until it has ended.
    mutating func drain(_ why: String) {
        guard endDeadline == nil else { return }
        log(.notice, "ending what is in hand: \(why)")
        shutDown(withinSeconds: nil, restarts: true)
    }

    mutating func share(_ live: Int, asOf moment: Int64) {
        if live < liveHosts {
            // By then the parts of one that has gone are anybody's; whatever waits here for an account or a rate
            // meanwhile, nobody else may look for them.
            search.beginAnew(at: now.advanced(bySeconds: Self.secondsUntilPartsAreFree))
        }
        if live != liveHosts {
            log(.notice, "\(live) hosts share the store: each has 1/\(live) of quotas and rates")
            liveHosts = live
            obey(ledger.handle(.shared(among: live), at: now))
            act(.sharing(live))
            // An idle host that was alone looks seldom: what others take from now on it is told by nobody.
            write(.look)
        }
        write(.lookAround(asOf: moment))
    }

    /// All that was paused or stopped before that moment is known here.
    mutating func lookedAround(asOf moment: Int64) {
        obeyingUpTo = moment
        noteObedience()
    }

    /// No child begins a request of what was stopped before that moment.
    mutating func noteObedience() {
        guard let moment = obeyingUpTo, stopping.values.allSatisfy(\.waitsFor.isEmpty) else { return }
        obeyingUpTo = nil
        act(.obeyed(moment))
    }

    func sharingOrder() -> SharingOrder {
        var order = SharingOrder()
        if liveHosts == 1 { order.messagesAtOnce = max(order.messagesAtOnce, 2 * settings.capacity) }
        // Another host's gateway or network may be sound.
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

    /// Once a second: says what this host is busy with, and looks for what others prepared, and what was left
    /// behind by one that has gone.
    mutating func searchBesideOthers() {
        guard isOneOfSeveral else { return }
        let rate = traffic.values.reduce(0) { $0 + $1.rate.perSecond(at: now) }
        act(.busy(unrecorded: ledger.unrecorded, answersPerSecond: Int(rate.rounded())))
        search.goOn()
        secondsSinceSearch += 1
        secondsSinceHeld += 1
        // Whoever cannot look has no more than an equal part.
        if secondsSinceHeld > Self.secondsGoodFor, liveHosts > 1 {
            obey(ledger.handle(.shared(among: liveHosts), at: now))
        }
        guard ledger.waitingRanges == 0 || secondsSinceSearch >= Self.secondsBetweenSearches else { return }
        secondsSinceSearch = 0
        search.beginAnew(at: now)
    }
}
