package import PushModel

/// Deliveries with a rate: the maximum number of messages whose sending may begin per second. The waiting
/// messages of a delivery that has used up its rate keep their place and let other messages of the same
/// account go first. A delivery without a rate costs nothing here.
extension PartLedger {
    /// The state of deliveries with a rate.
    struct Rates: Sendable {
        var rates: [DeliveryID: DeliveryRate] = [:]
        /// The moments at which deliveries that have used up their rate may be granted more.
        var alarms = Alarms<DeliveryID>()
        /// For each delivery that has used up its rate: the accounts that skip their turn until the delivery
        /// may be granted more.
        var waiting: [DeliveryID: Set<AccountID>] = [:]
        /// The account that was last granted messages of the delivery.
        var lastGranted: [DeliveryID: AccountID] = [:]

        var isEmpty: Bool { rates.isEmpty }
    }

    /// Sets the delivery's rate. A repeated call changes nothing unless the rate differs.
    mutating func limit(_ delivery: DeliveryID, perSecond: Int, at now: MonotonicTime) {
        guard perSecond > 0, rates.rates[delivery]?.perSecond != perSecond else { return }
        rates.rates[delivery] = DeliveryRate(perSecond: perSecond, at: now)
        rates.rates[delivery]?.share = shares.share(of: delivery, at: now)
    }

    /// Gives this host its share of every quota and rate.
    mutating func divide(at now: MonotonicTime) {
        for delivery in Array(rates.rates.keys) {
            let share = shares.share(of: delivery, at: now)
            guard rates.rates[delivery]?.share != share else { continue }
            rates.rates[delivery]?.share = share
            if rates.waiting[delivery] != nil {
                // The alarm is never due immediately, like every other alarm for a rate.
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

    /// Lets the accounts whose wait is over take turns again.
    mutating func wakeLimited(at now: MonotonicTime) {
        while let delivery = rates.alarms.takeDue(at: now) { wake(delivery, at: now) }
    }

    private mutating func wake(_ delivery: DeliveryID, at now: MonotonicTime) {
        let waiting = (rates.waiting.removeValue(forKey: delivery) ?? []).sorted()
        // The first account takes everything that is available, so start with the one after the account that
        // was granted messages last.
        let last = rates.lastGranted[delivery]
        let first = waiting.firstIndex { id in last.map { id > $0 } ?? true } ?? 0
        for id in waiting[first...] + waiting[..<first] where accounts[id] != nil {
            withAccount(id, at: now) { account in
                account.ranges.resume(delivery)
                account.limitedApps = account.limitedApps.filter { $0.value != delivery }
            }
        }
    }

    /// Returns how many of the wanted messages the delivery's rate allows now. If the rate allows none, the
    /// account skips the delivery's turns until the rate allows some.
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

    /// Returns, for each delivery with a rate, the number of its messages that a grant may have. These
    /// messages are deducted from the rates until the grant is filled.
    mutating func allowances(
        for next: Account.Next, _ count: Int, of id: AccountID, at now: MonotonicTime
    ) -> [DeliveryID: Int] {
        guard !rates.isEmpty else { return [:] }
        var allowances: [DeliveryID: Int] = [:]
        switch next {
        case .range(let range):
            if rates.rates[range.delivery] != nil { allowances[range.delivery] = count }
        case .retries:
            // It is not known yet to which deliveries the retries belong.
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

    /// Credits the rates with the unused part of a grant's allowances, so that other grants may use it.
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

    /// Credits the rate with messages whose sending did not begin. Accounts that wait for this delivery are
    /// rescheduled, because they were waiting for credit to accrue. If all messages of a range are already
    /// sent, every grant of the range comes back, and each of these grants would otherwise cause such a wait.
    mutating func giveBack(_ count: Int, of delivery: DeliveryID, at now: MonotonicTime) {
        rates.rates[delivery]?.giveBack(count)
        guard rates.waiting[delivery] != nil, let moment = rates.rates[delivery]?.nextMoment(at: now) else {
            return
        }
        rates.alarms.set(delivery, max(moment, now.advanced(byMilliseconds: 1)))
    }

    /// Records that all due retries of an app belong to deliveries that have used up their rate. The app is
    /// tried again when the given delivery may be granted more.
    mutating func wait(app: AppID, for delivery: DeliveryID, _ id: AccountID, at now: MonotonicTime) {
        guard rates.rates[delivery] != nil else { return }
        wait(delivery, for: id, at: now)
        withAccount(id, at: now) { $0.limitedApps[app] = delivery }
    }

    private mutating func wait(_ delivery: DeliveryID, for id: AccountID, at now: MonotonicTime) {
        rates.waiting[delivery, default: []].insert(id)
        // The alarm is never due immediately, because the currently available amount was not enough.
        let moment = rates.rates[delivery]?.nextMoment(at: now) ?? now
        rates.alarms.set(delivery, max(moment, now.advanced(byMilliseconds: 1)))
    }
}
