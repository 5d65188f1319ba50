internal import PushModel

/// Who is granted what next: accounts take turns, each gets whole grants of what waits for it, and a child that has room.
extension PartLedger {
    mutating func assign(at now: MonotonicTime, _ actions: inout [Action]) {
        var idleTurns = 0
        while idleTurns < turns.count, let id = turns.take() {
            if let order = grantOne(to: id, at: now) {
                actions.append(.read(order))
                idleTurns = 0
            } else {
                idleTurns += 1
            }
        }
    }

    private mutating func grantOne(to id: AccountID, at now: MonotonicTime) -> ReadOrder? {
        guard var account = accounts[id], account.hasWork else { return nil }
        let allowance = account.gate.allowance(at: now)
        guard allowance != .none, let child = childWithRoom(for: id, account, at: now) else { return nil }
        let credit = children[child]?.credit(of: id, account) ?? 0
        let most = allowance == .one ? 1 : account.wholeGrant(inRoom: children[child]?.room ?? 0)

        let source: ReadOrder.Source
        let count: Int
        var losses = Losses()
        if let app = account.nextAppWithRetries {
            // Small grants are dear: each one looks past all due messages that are held already.
            let hasNone = children[child]?.holdsNothing(of: id) == true
            guard credit >= min(most, Self.smallestRetryGrant) || hasNone else { return nil }
            losses = account.retryLosses[app]?.losses ?? losses
            let limit = losses.isSuspect ? account.retryLosses[app]?.limit ?? most : most
            count = account.quotaAllows(min(most, credit, limit), at: now)
            guard count > 0 else { return keepBucket(account.bucket, of: id) }
            account.appsBeingRead.insert(app)
            account.lastAppWithRetries = app
            source = .retries(app, limit: count)
        } else if let range = account.ranges.first {
            let wanted = min(most, range.losses.isSuspect ? (range.count + 1) / 2 : range.count)
            // Small grants are dear: wait until a whole one fits, unless all the room there is would be less.
            let hasNone = children[child]?.holdsNothing(of: id) == true
            guard wanted <= credit || hasNone else { return nil }
            count = account.quotaAllows(min(wanted, credit), at: now)
            guard count > 0 else { return keepBucket(account.bucket, of: id) }
            source = .range(range.part, account.takeFirst(count))
            losses = range.losses
            parts[range.part]?.out += 1
            if count == range.count { parts[range.part]?.waiting -= 1 }
        } else {
            return nil
        }
        account.bucket?.take(count, at: now)
        if allowance == .one { account.gate.probeStarted() }
        accounts[id] = account
        lastGrant &+= 1
        let grant = GrantID(rawValue: lastGrant)
        let entry = Grant(
            losses: losses, child: child, account: id, source: source, unanswered: count, isProbe: allowance == .one,
            sharesRoom: account.ownRoom == nil, since: now)
        grants[grant] = entry
        accounts[id]?.grantsOut += 1
        children[child]?.take(count, of: entry)
        children[child]?.note(entry)
        return ReadOrder(grant: grant, child: child, account: id, source: source)
    }

    /// No grant now; but what has run into the bucket since the last question stays in it.
    private mutating func keepBucket(_ bucket: TokenBucket?, of account: AccountID) -> ReadOrder? {
        accounts[account]?.bucket = bucket
        return nil
    }

    /// The child that runs dry because a suspect waits for it: one at a time, the one with least to finish.
    private func childForSuspects(at now: MonotonicTime) -> ChildID? {
        guard accounts.values.contains(where: { $0.isNextSuspect && $0.gate.allowance(at: now) != .none }),
            !children.values.contains(where: { $0.suspects > 0 })
        else { return nil }
        return children.filter { !$0.value.isDraining }
            .min { ($0.value.outstanding, $0.key.rawValue) < ($1.value.outstanding, $1.key.rawValue) }?.key
    }

    /// Accounts stick to the children that have connections for them; among equals, the one with most room.
    private func childWithRoom(for id: AccountID, _ account: Account, at now: MonotonicTime) -> ChildID? {
        let reserved = childForSuspects(at: now)
        if account.isNextSuspect { return reserved.flatMap { children[$0]?.outstanding == 0 ? $0 : nil } }
        return children.filter { !$0.value.isDraining && $0.value.suspects == 0 && $0.key != reserved }
            .map { name, child in
                let credit = child.credit(of: id, account)
                // A connection is worth something only where there is room to use it.
                let isApt = child.knows(id) && credit >= account.leastGrant(inRoom: child.room)
                return (child: name, credit: credit, isApt: isApt)
            }
            .filter { $0.credit > 0 }
            .max { left, right in
                if left.isApt != right.isApt { return right.isApt }
                if left.credit != right.credit { return left.credit < right.credit }
                return left.child > right.child
            }?.child
    }
}
