internal import PushModel

/// Who is granted what next: accounts take turns, each gets whole grants of what waits for it, and a child
/// that has credit.
extension PartLedger {
    mutating func assign(at now: MonotonicTime, _ actions: inout [Action]) {
        wakeLimited(at: now)
        probeTopics(at: now)
        while let id = alarms.takeDue(at: now) { withAccount(id, at: now) { _ in } }
        // Each turn ends with a grant, or takes the account out of the round.
        while let id = ready.take() {
            if let order = grantOne(to: id, at: now) { actions.append(.read(order)) }
        }
    }

    private mutating func grantOne(to id: AccountID, at now: MonotonicTime) -> ReadOrder? {
        guard let account = accounts[id], let next = account.next else {
            rest(id, until: nil)
            return nil
        }
        let allowance = account.breaker.allowance(at: now)
        guard allowance != .none else {
            rest(id, until: account.breaker.nextMoment)
            return nil
        }
        guard let child = childWithCredit(for: id, account, next, at: now), let credit = children[child],
            let wanted = wanted(of: account, next, credit, id, allowance)
        else {
            ready.leave(id)
            starved.join(id)
            return nil
        }
        // Asking the quota does not change which queue the account belongs in.
        let allowed = accounts[id]?.quotaAllows(wanted, at: now) ?? 0
        guard allowed > 0 else {
            rest(id, until: accounts[id]?.bucket?.nextMoment(at: now))
            return nil
        }
        // Where there is none, the account has another turn with what else it has.
        let count = rateAllows(allowed, of: next, id, at: now)
        guard count > 0 else { return nil }
        return grant(count, of: next, to: child, id, isProbe: allowance == .one, at: now)
    }

    /// Messages to grant, its quota aside; nil: a whole grant does not fit, and small ones are dear.
    private func wanted(
        of account: Account, _ next: Account.Next, _ child: ChildCredit, _ id: AccountID,
        _ allowance: AccountBreaker.Allowance
    ) -> Int? {
        let credit = child.credit(of: id, ownCapacity: account.ownCapacity, isUrgent: next.isUrgent)
        let most = allowance == .one ? 1 : account.wholeGrant(ofCapacity: child.capacity)
        // An account that holds nothing here takes even a small grant, or a child of small capacity would
        // never serve it.
        let hasNone = child.holdsNothing(of: id)
        switch next {
        case .retries(let app):
            // Each read scans past every due message that is granted already, so small reads are dear.
            guard credit >= min(most, Self.smallestRetryGrant) || hasNone else { return nil }
            return min(most, credit, account.suspectedRetries.limit(of: app) ?? most)
        case .range(let range):
            let wanted = min(most, range.losses.isSuspect ? (range.count + 1) / 2 : range.count)
            guard wanted <= credit || hasNone else { return nil }
            return min(wanted, credit)
        }
    }

    private mutating func grant(
        _ count: Int, of next: Account.Next, to child: ChildID, _ id: AccountID, isProbe: Bool,
        at now: MonotonicTime
    ) -> ReadOrder {
        var losses = Losses()
        var priority = DeliveryPriority.normal
        let isShared = accounts[id]?.ownCapacity == nil
        let capacity = children[child]?.capacity ?? 0
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
                let turn = min(WaitingRanges.messagesInATurn, account.wholeGrant(ofCapacity: capacity))
                let taken = account.ranges.take(count, turn: turn)
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
        let share = ChildCredit.Share(account: id, isUrgent: next.isUrgent, isShared: isShared)
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

    /// The child that is emptied so that it can take a suspect alone: one at a time, the one with the fewest
    /// messages outstanding.
    private func childForSuspects() -> ChildID? {
        guard !suspectAccounts.isEmpty, !children.values.contains(where: { $0.suspects > 0 }) else {
            return nil
        }
        return children.filter { !$0.value.isDraining }
            .min { ($0.value.outstanding, $0.key.rawValue) < ($1.value.outstanding, $1.key.rawValue) }?.key
    }

    /// Accounts stick to the children that have connections for them; among equals, the one with most credit. Where
    /// there is a limit, a child that has fallen behind it is none to stick to: what waits there passes later, above
    /// the limit.
    private func childWithCredit(
        for id: AccountID, _ account: Account, _ next: Account.Next, at now: MonotonicTime
    ) -> ChildID? {
        let reserved = childForSuspects()
        if account.isSuspect(next) { return reserved.flatMap { children[$0]?.outstanding == 0 ? $0 : nil } }
        let mostOutstanding = limitPerSecond(of: account, next, at: now).map {
            max(Int($0 * Self.behindSeconds), Self.leastBehind)
        }
        var best: (child: ChildID, credit: Int, hasUsableConnection: Bool)?
        for (name, child) in children where !child.isDraining && child.suspects == 0 && name != reserved {
            let credit = child.credit(of: id, ownCapacity: account.ownCapacity, isUrgent: next.isUrgent)
            guard credit > 0 else { continue }
            // A connection is worth something only where there is credit to use it.
            let hasUsableConnection =
                child.knows(id) && credit >= account.leastGrant(of: next, ofCapacity: child.capacity)
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

    /// Who has more than so many seconds' worth of a limit in hand is behind it, or its gateway takes that long.
    private static let behindSeconds = 0.5
    /// So few are not worth another connection.
    private static let leastBehind = 10

    /// The least of what limits this grant; nil: nothing does.
    private func limitPerSecond(
        of account: Account, _ next: Account.Next, at now: MonotonicTime
    ) -> Double? {
        var limit = account.bucket?.rate(at: now)
        if case .range(let range) = next, let rate = rates.rates[range.delivery] {
            limit = min(limit ?? .infinity, Double(rate.perSecond) * rate.share)
        }
        return limit
    }
}

extension PartLedger.Account.Next {
    var isUrgent: Bool { if case .range(let range) = self { range.priority.isUrgent } else { false } }
}
