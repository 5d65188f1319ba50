internal import PushModel

/// The choice of the next grant. Accounts take turns; each is given whole grants of its waiting messages, on
/// a child that has credit.
extension PartLedger {
    mutating func assign(at now: MonotonicTime, _ actions: inout [Action]) {
        wakeLimited(at: now)
        probeTopics(at: now)
        while let id = alarms.takeDue(at: now) { withAccount(id, at: now) { _ in } }
        let areSmallGrantsDue = smallGrants.map { now >= $0 } ?? false
        if areSmallGrantsDue { creditReturned() }
        if hasCreditReturned, hasWorthwhileShare(at: now) { retryStarved() }
        // Each turn either ends with a grant or takes the account out of the round.
        while hasWorthwhileShare(at: now), let id = ready.take() {
            if let order = grantOne(to: id, at: now) { actions.append(.read(order)) }
        }
        assignToExceptions(at: now, &actions)
        if areSmallGrantsDue { smallGrants = nil }
    }

    /// Reports whether some child has a worthwhile share for an account without messages on that child. Such
    /// an account has the largest share. Examining hundreds of accounts in vain after each commit would cost
    /// more than all grants.
    private mutating func hasWorthwhileShare(at now: MonotonicTime) -> Bool {
        var isAnythingLeft = false
        for child in children.values where !child.isDraining && child.suspects == 0 {
            if child.largestShare >= Self.worthwhileGrant(ofCapacity: child.capacity) {
                // Enough credit has returned, so no small grants are needed.
                smallGrants = nil
                return true
            }
            if child.largestShare > 0 { isAnythingLeft = true }
        }
        // Accounts that were refused since credit last returned would be refused again.
        guard isAnythingLeft, !ready.isEmpty || hasCreditReturned && !starved.isEmpty else { return false }
        return areSmallGrantsDue(at: now)
    }

    /// Reports whether small grants are due: some time after the first one was put off.
    private mutating func areSmallGrantsDue(at now: MonotonicTime) -> Bool {
        let moment = smallGrants ?? now.advanced(byMilliseconds: Self.smallGrantMilliseconds)
        smallGrants = moment
        return now >= moment
    }

    /// Tries the accounts in `exceptions`. They are examined whenever credit returns or one of them changes.
    private mutating func assignToExceptions(at now: MonotonicTime, _ actions: inout [Action]) {
        guard areExceptionsDue else { return }
        var refused = 0
        while refused < exceptions.count, let id = exceptions.take() {
            guard let order = grantOne(to: id, at: now) else {
                refused += 1
                continue
            }
            actions.append(.read(order))
        }
        areExceptionsDue = false
    }

    private mutating func grantOne(to id: AccountID, at now: MonotonicTime) -> ReadOrder? {
        guard let turn = accounts[id]?.turn(at: now) else {
            rest(id, until: nil)
            return nil
        }
        guard turn.allowance != .none else {
            rest(id, until: accounts[id]?.breaker.nextMoment)
            return nil
        }
        guard let child = childWithCredit(for: id, turn), let wanted = wanted(by: id, turn, from: child),
            isWorthwhile(wanted, turn, from: child, at: now)
        else {
            ready.leave(id)
            starved.join(id)
            return nil
        }
        // Querying the quota does not change the queue to which the account belongs.
        let allowed = accounts[id]?.quotaAllows(wanted, at: now) ?? 0
        guard allowed > 0 else {
            rest(id, until: accounts[id]?.bucket?.nextMoment(at: now))
            return nil
        }
        // If the rate allows nothing, the account has another turn with its other messages.
        let count = rateAllows(allowed, of: turn.next, id, at: now)
        guard count > 0 else { return nil }
        return grant(count, of: turn, to: child, id, at: now)
    }

    /// Reports whether a grant is made now. If hundreds of accounts have work, each could be granted half of
    /// the little credit that has just returned, down to single messages, although a grant costs as much as
    /// some tens of messages. More credit returns soon, unless accounts that make no progress have nearly all
    /// of it. In that case a small grant is better than none.
    private mutating func isWorthwhile(
        _ wanted: Int, _ turn: Account.TurnRequest, from child: ChildID, at now: MonotonicTime
    ) -> Bool {
        guard let range = turn.next.sharing(ownCapacity: turn.ownCapacity, turn.allowance),
            let capacity = children[child]?.capacity,
            wanted < min(range.count, Self.worthwhileGrant(ofCapacity: capacity))
        else { return true }
        return areSmallGrantsDue(at: now)
    }

    private static func worthwhileGrant(ofCapacity capacity: Int) -> Int {
        max(wholeGrant(ofCapacity: capacity) / 2, 1)
    }

    /// An eighth of the capacity. An account's share is several such grants even if the account shares the
    /// child with an account whose gateway is silent.
    fileprivate static func wholeGrant(ofCapacity capacity: Int) -> Int {
        min(max(capacity / 8, 1), largestGrant)
    }

    /// The maximum time for which small grants are put off.
    private static let smallGrantMilliseconds: Int64 = 20

    /// Returns the number of messages to grant, before the account's quota is applied; `nil` if a whole grant
    /// does not fit, because small grants are expensive.
    private func wanted(by id: AccountID, _ turn: Account.TurnRequest, from child: ChildID) -> Int? {
        guard let child = children[child] else { return nil }
        let credit = child.credit(of: id, ownCapacity: turn.ownCapacity, isUrgent: turn.next.isUrgent)
        let most = turn.allowance == .one ? 1 : turn.wholeGrant(ofCapacity: child.capacity)
        // An account that has no messages on this child accepts even a small grant. Otherwise a child with a
        // small capacity would never serve it.
        let hasNone = child.holdsNothing(of: id)
        switch turn.next {
        case .retries:
            // Each read scans past every due message that is already granted, so small reads are expensive.
            guard credit >= min(most, Self.smallestRetryGrant) || hasNone else { return nil }
            return min(most, credit, turn.retryLimit ?? most)
        case .range(let range):
            let wanted = min(most, range.losses.isSuspect ? (range.count + 1) / 2 : range.count)
            guard wanted <= credit || hasNone else { return nil }
            return min(wanted, credit)
        }
    }

    private mutating func grant(
        _ count: Int, of turn: Account.TurnRequest, to child: ChildID, _ id: AccountID, at now: MonotonicTime
    ) -> ReadOrder {
        let (next, isProbe) = (turn.next, turn.allowance == .one)
        var losses = Losses()
        var priority = DeliveryPriority.normal
        let most = turn.wholeGrant(ofCapacity: children[child]?.capacity ?? 0)
        let source = withAccount(id, at: now) { account in
            account.bucket?.take(count, at: now)
            if isProbe { account.breaker.probeStarted() }
            account.grantsOut += 1
            switch next {
            case .retries(let app):
                losses = account.suspectedRetries.losses(of: app)
                account.appsBeingRead.insert(app)
                account.lastAppWithRetries = app
                return ReadOrder.Source.retries(app, limit: count)
            case .range(let range):
                (losses, priority) = (range.losses, range.priority)
                let taken = account.ranges.take(count, turn: min(WaitingRanges.messagesInATurn, most))
                return .range(range.part, taken?.messages ?? range.messages)
            }
        }
        var since: MonotonicTime?
        if case .range(let range) = next {
            since = parts[range.part]?.since
            parts[range.part]?.out += 1
            if count >= range.count { parts[range.part]?.waiting -= 1 }
        }
        let allowances = allowances(for: next, count, of: id, at: now)
        lastGrant &+= 1
        let grant = GrantID(rawValue: lastGrant)
        let share = ChildCredit.Share(
            account: id, isUrgent: next.isUrgent, isShared: turn.ownCapacity == nil)
        grants[grant] = Grant(
            losses: losses, child: child, share: share, source: source, priority: priority, unanswered: count,
            isProbe: isProbe, since: now)
        grants[grant]?.allowances = allowances
        if case .range(let range) = next, let topic = range.asksAbout {
            grants[grant]?.asksAbout = TopicKey(account: id, topic: topic)
        }
        children[child]?.take(count, share)
        if losses.isSuspect { children[child]?.suspectGranted() }
        return ReadOrder(
            grant: grant, child: child, account: id, source: source, since: since, allowances: allowances)
    }

    /// Returns the child that is being emptied so that it can take a suspect alone. Only one child is emptied
    /// at a time: the one with the fewest outstanding messages.
    private func childForSuspects() -> ChildID? {
        guard !suspectAccounts.isEmpty, !children.values.contains(where: { $0.suspects > 0 }) else {
            return nil
        }
        return children.filter { !$0.value.isDraining }
            .min { ($0.value.outstanding, $0.key.rawValue) < ($1.value.outstanding, $1.key.rawValue) }?.key
    }

    /// Chooses a child for the account. Accounts stay with the children that have connections for them; among
    /// equals, the child with the most credit is chosen. If a quota or rate limits the account, a child that
    /// has fallen behind this limit is not preferred: the messages that wait in that child would be sent
    /// later, in excess of the limit.
    private func childWithCredit(for id: AccountID, _ turn: Account.TurnRequest) -> ChildID? {
        let reserved = childForSuspects()
        if turn.isSuspect { return reserved.flatMap { children[$0]?.outstanding == 0 ? $0 : nil } }
        let mostOutstanding = limitPerSecond(of: turn).map {
            max(Int($0 * Self.behindSeconds), Self.leastBehind)
        }
        var best: (child: ChildID, credit: Int, hasUsableConnection: Bool)?
        for (name, child) in children where !child.isDraining && child.suspects == 0 && name != reserved {
            let credit = child.credit(of: id, ownCapacity: turn.ownCapacity, isUrgent: turn.next.isUrgent)
            guard credit > 0 else { continue }
            // A connection is only useful if there is credit to use it.
            let hasUsableConnection =
                child.knows(id) && credit >= turn.leastGrant(ofCapacity: child.capacity)
                && mostOutstanding.map { child.outstanding(of: id) <= $0 } ?? true
            let isBetter = best.map { best in
                if best.hasUsableConnection != hasUsableConnection { return hasUsableConnection }
                if best.credit != credit { return credit > best.credit }
                return name < best.child
            }
            if isBetter ?? true { best = (name, credit, hasUsableConnection) }
        }
        return best?.child
    }

    /// A child that has more messages than the limit allows in this many seconds has fallen behind the limit,
    /// or its gateway takes that long to answer.
    private static let behindSeconds = 0.5
    /// A child with at most this number of messages does not justify another connection.
    private static let leastBehind = 10

    /// Returns the lowest of the limits that apply to this grant; `nil` if none applies.
    private func limitPerSecond(of turn: Account.TurnRequest) -> Double? {
        var limit = turn.ratePerSecond
        if case .range(let range) = turn.next, let rate = rates.rates[range.delivery] {
            limit = min(limit ?? .infinity, Double(rate.perSecond) * rate.share)
        }
        return limit
    }
}

extension PartLedger.Account {
    /// The request that an account makes in its turn.
    struct TurnRequest {
        let next: Next
        let allowance: AccountBreaker.Allowance
        let isSuspect: Bool
        /// The account's own capacity; `nil` if the account shares the child's capacity.
        let ownCapacity: Int?
        /// The rate that the account's quota allows; `nil` if the account has no quota.
        let ratePerSecond: Double?
        /// The maximum number of retries of ``next`` that one grant may request; `nil` if there is no limit.
        let retryLimit: Int?

        /// Returns the credit below which a child is granted no messages of this account. Only whole grants
        /// are made, because small ones are expensive.
        func leastGrant(ofCapacity capacity: Int) -> Int {
            let whole = wholeGrant(ofCapacity: capacity)
            switch next {
            case .range(let range): return min(whole, range.count)
            case .retries: return min(whole, PartLedger.smallestRetryGrant)
            }
        }

        func wholeGrant(ofCapacity capacity: Int) -> Int {
            PartLedger.wholeGrant(ofCapacity: ownCapacity ?? capacity)
        }
    }
}

extension PartLedger.Account.Next {
    /// Returns the range if a grant of it takes capacity that accounts share; `nil` for retries, probes,
    /// suspects and accounts with their own capacity, whose grants may be small.
    func sharing(ownCapacity: Int?, _ allowance: AccountBreaker.Allowance) -> WaitingRange? {
        guard case .range(let range) = self, ownCapacity == nil, allowance != .one, !range.losses.isSuspect
        else { return nil }
        return range
    }

    var isUrgent: Bool { if case .range(let range) = self { range.priority.isUrgent } else { false } }
}
