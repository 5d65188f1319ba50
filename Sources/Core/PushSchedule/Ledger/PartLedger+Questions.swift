package import PushModel

/// What the master asks of the ledger.
extension PartLedger {
    /// Whether some account could be granted messages if only a child had credit.
    package func lacksCredit(at now: MonotonicTime) -> Bool {
        // `ready` are those that nobody looked at, because no child had room.
        (Array(ready.members) + Array(starved.members)).contains { id in
            guard var account = accounts[id], let turn = account.turn(at: now), turn.allowance != .none else {
                return false
            }
            // Room of its own is full by design: another child would only double the bound on duplicates.
            let isServed =
                turn.ownCapacity != nil && children.values.contains { !$0.isDraining && $0.knows(id) }
            return !isServed
                && !children.values.contains {
                    let credit = $0.credit(
                        of: id, ownCapacity: turn.ownCapacity, isUrgent: turn.next.isUrgent)
                    return !$0.isDraining && credit >= turn.leastGrant(ofCapacity: $0.capacity)
                }
        }
    }

    /// Messages granted to a child and not yet committed: what a crash now would leave unrecorded at most.
    package func outstanding(of child: ChildID) -> Int { children[child]?.outstanding ?? 0 }
    package func outstanding(of account: AccountID) -> Int {
        children.values.reduce(0) { $0 + $1.outstanding(of: account) }
    }
    package var unrecorded: Int { children.values.reduce(0) { $0 + $1.outstanding } }

    /// What the account's quota allows a second now; nil: it has none.
    package func rate(of account: AccountID, at now: MonotonicTime) -> Double? {
        accounts[account]?.bucket?.rate(at: now)
    }
    package func holds(_ grant: GrantID) -> Bool { grants[grant] != nil }
    /// Whether the messages of a grant may still go to its child: its account may have come into trouble
    /// while they were read. Those of a probe may, unless a person has to look at the account first.
    package func mayGo(_ grant: GrantID) -> Bool {
        guard let grant = grants[grant], let breaker = accounts[grant.account]?.breaker else { return false }
        return breaker.isWorking || grant.isProbe && breaker.state != .stopped
    }
    /// Whether a grant is open whose messages include this one, unless they were tried before.
    package func mayHold(_ message: MessageID) -> Bool {
        grants.values.contains { grant in
            if case .range(_, let messages) = grant.source { messages.contains(message) } else { false }
        }
    }
    package func knows(_ part: PartID) -> Bool { parts[part] != nil }
    /// Accounts that are not granted all that they could have, because of their gateway's answers or silence.
    /// - Returns: which, whether nothing of them is with a child, and whether a message may ask their gateway now.
    package func sickAccounts(
        at now: MonotonicTime
    ) -> [(id: AccountID, isIdle: Bool, mayAsk: Bool)] {
        accounts.filter { !$0.value.breaker.isWorking }.map { id, account in
            (id: id, isIdle: account.grantsOut == 0, mayAsk: account.breaker.allowance(at: now) == .one)
        }
    }

    package func breaker(of account: AccountID) -> AccountBreaker? { accounts[account]?.breaker }
    package func child(of grant: GrantID) -> ChildID? { grants[grant]?.child }
    package func source(of grant: GrantID) -> ReadOrder.Source? { grants[grant]?.source }
    package func rests(_ account: AccountID) -> Bool {
        guard let account = accounts[account] else { return true }
        return account.grantsOut == 0 && !account.hasWork && account.heldOut.isEmpty
    }

    /// By what the master itself holds back what the account has; nil: by nothing.
    package func hold(of account: AccountID, at now: MonotonicTime) -> StallCause.Hold? {
        guard let account = accounts[account] else { return nil }
        switch account.breaker.state {
        case .stopped: return .stopped(account.breaker.reason)
        case .waiting, .probing: return .waiting(account.breaker.reason)
        case .working: break
        }
        guard account.grantsOut == 0, let bucket = account.bucket, bucket.nextMoment(at: now) > now else {
            return nil
        }
        return .quota(perMinute: Int(bucket.ratePerSecond * 60))
    }

    /// Children that have kept messages for longer than they may keep any: whatever they say of themselves,
    /// they are stuck.
    package func overdueChildren(at now: MonotonicTime, afterSeconds seconds: Int64) -> Set<ChildID> {
        Set(grants.values.filter { $0.isFilled && now >= $0.since.advanced(bySeconds: seconds) }.map(\.child))
    }

    /// When a breaker that waits wants to be asked again, an account's or a topic's, or a quota or a delivery's
    /// rate allows more, or small grants were put off for long enough: the time for a `tick`.
    package var nextMoment: MonotonicTime? {
        [alarms.first, rates.alarms.first, topics.alarms.first, smallGrants].compactMap(\.self).min()
    }
}
