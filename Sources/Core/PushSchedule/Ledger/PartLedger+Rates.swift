package import PushModel

/// Deliveries of which only so many messages may begin a second. What waits of one that has had its share
/// keeps its place and lets others of its account go first; a delivery without a rate costs nothing here.
extension PartLedger {
    /// Of deliveries with a rate.
    struct Rates: Sendable {
        var rates: [DeliveryID: DeliveryRate] = [:]
        /// When those that have had their share may be granted more.
        var alarms = Alarms<DeliveryID>()
        /// Accounts that let their turn pass until then.
        var waiting: [DeliveryID: Set<AccountID>] = [:]
        /// Which account was granted the last of it.
        var lastGranted: [DeliveryID: AccountID] = [:]

        var isEmpty: Bool { rates.isEmpty }
    }

    /// Said again, it changes nothing unless the rate is another one.
    mutating func limit(_ delivery: DeliveryID, perSecond: Int, at now: MonotonicTime) {
        guard perSecond > 0, rates.rates[delivery]?.perSecond != perSecond else { return }
        rates.rates[delivery] = DeliveryRate(perSecond: perSecond, at: now)
        rates.rates[delivery]?.share = shares.share(of: delivery, at: now)
    }

    /// Each host has its part of every quota and rate.
    mutating func divide(at now: MonotonicTime) {
        for delivery in Array(rates.rates.keys) {
            let share = shares.share(of: delivery, at: now)
            guard rates.rates[delivery]?.share != share else { continue }
            rates.rates[delivery]?.share = share
            if rates.waiting[delivery] != nil {
                // Never at once, as ever.
                let moment = rates.rates[delivery]?.nextMoment(at: now) ?? now
                rates.alarms.set(delivery, max(moment, now.advanced(byMilliseconds: 1)))
            }
        }
        for (id, account) in accounts {
            let share = shares.share(of: id, at: now)
            guard let bucket = account.bucket, bucket.share != share else { continue }
            withAccount(id, at: now) { $0.bucket?.share = share }
        }
    }

    /// Deliveries with a rate, and accounts with a quota.
    package var limited: (deliveries: [DeliveryID], accounts: [AccountID]) {
        (Array(rates.rates.keys), accounts.filter { $0.value.bucket != nil }.map(\.key))
    }

    mutating func endRate(of delivery: DeliveryID, at now: MonotonicTime) {
        guard rates.rates.removeValue(forKey: delivery) != nil else { return }
        rates.alarms.set(delivery, nil)
        rates.lastGranted[delivery] = nil
        wake(delivery, at: now)
    }

    /// Those whose time has come take their turns again.
    mutating func wakeLimited(at now: MonotonicTime) {
        while let delivery = rates.alarms.takeDue(at: now) { wake(delivery, at: now) }
    }

    private mutating func wake(_ delivery: DeliveryID, at now: MonotonicTime) {
        let waiting = (rates.waiting.removeValue(forKey: delivery) ?? []).sorted()
        // Whoever is first has all that there is: the one after whoever had it last.
        let last = rates.lastGranted[delivery]
        let first = waiting.firstIndex { id in last.map { id > $0 } ?? true } ?? 0
        for id in waiting[first...] + waiting[..<first] where accounts[id] != nil {
            withAccount(id, at: now) { account in
                account.ranges.goOn(delivery)
                account.limitedApps = account.limitedApps.filter { $0.value != delivery }
            }
        }
    }

    /// Of so many messages those that the delivery's rate allows now. Where none, the account lets the
    /// delivery's turn pass until there are.
    mutating func rateAllows(
        _ wanted: Int, of next: Account.Next, _ id: AccountID, at now: MonotonicTime
    ) -> Int {
        guard !rates.isEmpty, case .range(let range) = next,
            let count = rates.rates[range.delivery]?.available(wanted, at: now)
        else { return wanted }
        if count == 0 {
            wait(range.delivery, for: id, at: now)
            withAccount(id, at: now) { $0.ranges.rest(range.delivery) }
        }
        return count
    }

    /// What a grant may have of deliveries with a rate: taken off until it is filled.
    mutating func allowances(
        for next: Account.Next, _ count: Int, of id: AccountID, at now: MonotonicTime
    ) -> [DeliveryID: Int] {
        guard !rates.isEmpty else { return [:] }
        var allowances: [DeliveryID: Int] = [:]
        switch next {
        case .range(let range):
            if rates.rates[range.delivery] != nil { allowances[range.delivery] = count }
        case .retries:
            // Nobody knows yet of which deliveries they are.
            for delivery in rates.rates.keys {
                allowances[delivery] = rates.rates[delivery]?.available(count, at: now) ?? 0
            }
        }
        for (delivery, count) in allowances {
            rates.rates[delivery]?.take(count)
            if count > 0 { rates.lastGranted[delivery] = id }
        }
        return allowances
    }

    /// What was not used of a grant's allowances may be had by others.
    mutating func settleAllowances(
        of grant: inout Grant, used: Int, of delivery: DeliveryID?, at now: MonotonicTime
    ) {
        guard !grant.allowances.isEmpty else { return }
        for (limited, count) in grant.allowances {
            rates.rates[limited]?.endReading(count)
            let unused = limited == delivery ? max(count - used, 0) : count
            if unused > 0 { giveBack(unused, of: limited, at: now) }
        }
        grant.allowances = delivery.map { grant.allowances[$0] == nil ? [:] : [$0: used] } ?? [:]
    }

    /// What did not begin. Who waits for this delivery waited for as much to run in: where all of a range is sent
    /// already, every grant of it comes back, and each would have had to.
    mutating func giveBack(_ count: Int, of delivery: DeliveryID, at now: MonotonicTime) {
        rates.rates[delivery]?.giveBack(count)
        guard rates.waiting[delivery] != nil, let moment = rates.rates[delivery]?.nextMoment(at: now) else {
            return
        }
        rates.alarms.set(delivery, max(moment, now.advanced(byMilliseconds: 1)))
    }

    /// The retries of an app that are due are all of deliveries that have had their share: it is asked
    /// again when this one may have more.
    mutating func wait(app: AppID, for delivery: DeliveryID, _ id: AccountID, at now: MonotonicTime) {
        guard rates.rates[delivery] != nil else { return }
        wait(delivery, for: id, at: now)
        withAccount(id, at: now) { $0.limitedApps[app] = delivery }
    }

    private mutating func wait(_ delivery: DeliveryID, for id: AccountID, at now: MonotonicTime) {
        rates.waiting[delivery, default: []].insert(id)
        // Never at once: what is to be had now was not enough.
        let moment = rates.rates[delivery]?.nextMoment(at: now) ?? now
        rates.alarms.set(delivery, max(moment, now.advanced(byMilliseconds: 1)))
    }
}
