package import PushModel

/// The ledger's queries for the master.
extension PartLedger {
    /// Reports whether some account could be granted messages if only a child had credit.
    package func lacksCredit(at now: MonotonicTime) -> Bool {
        // The accounts in `ready` have not been examined, because no child had room.
        (Array(ready.members) + Array(starved.members)).contains { id in
            guard var account = accounts[id], let turn = account.turn(at: now), turn.allowance != .none else {
                return false
            }
            // An account's own capacity is full by design: another child would only double the bound on
            // duplicates.
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

    /// Returns the number of messages granted to a child and not yet committed, which is the maximum number
    /// of messages whose outcomes a crash would now leave unrecorded.
    package func outstanding(of child: ChildID) -> Int { children[child]?.outstanding ?? 0 }
    package func outstanding(of account: AccountID) -> Int {
        children.values.reduce(0) { $0 + $1.outstanding(of: account) }
    }
    package var unrecorded: Int { children.values.reduce(0) { $0 + $1.outstanding } }

    /// Returns the number of messages per second that the account's quota allows now; `nil` if the account
    /// has no quota.
    package func rate(of account: AccountID, at now: MonotonicTime) -> Double? {
        accounts[account]?.bucket?.rate(at: now)
    }
    package func holds(_ grant: GrantID) -> Bool { grants[grant] != nil }
    /// Reports whether the messages of a grant may still be sent to its child: the account may have run into
    /// trouble while the messages were read. The messages of a probe may be sent, unless an operator has to
    /// examine the account first.
    package func mayGo(_ grant: GrantID) -> Bool {
        guard let grant = grants[grant], let breaker = accounts[grant.account]?.breaker else { return false }
        return breaker.isWorking || grant.isProbe && breaker.state != .stopped
    }
    /// Reports whether an open grant's messages include this one. Messages that were tried before are not
    /// considered.
    package func mayHold(_ message: MessageID) -> Bool {
        grants.values.contains { grant in
            if case .range(_, let messages) = grant.source { messages.contains(message) } else { false }
        }
    }
    package func knows(_ part: PartID) -> Bool { parts[part] != nil }
    /// Returns the accounts whose grants are restricted because of their gateway's answers or silence.
    /// - Returns: The accounts. For each account: whether no child has any of its messages, and whether a
    ///   message may be sent to its gateway now.
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

    /// Returns the reason why the master itself holds back the account's messages; `nil` if it does not.
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

    /// Returns the reason why due messages of the account are not with a child; `nil` if there are none.
    package func wait(of account: AccountID, at now: MonotonicTime) -> SendingLimit.Wait? {
        guard let account = accounts[account], account.hasWork else { return nil }
        // Everything that waits belongs to deliveries that have used up their rate.
        guard account.next != nil else { return .rate }
        if let bucket = account.bucket, bucket.nextMoment(at: now) > now { return .quota }
        return .room
    }

    /// The number of messages that are being read from the store, for each account.
    package var reading: [AccountID: Int] {
        grants.values.reduce(into: [:]) { counts, grant in
            if !grant.isFilled { counts[grant.account, default: 0] += grant.unanswered }
        }
    }

    /// Deliveries with messages that wait for the delivery's rate.
    package var deliveriesAtRate: Set<DeliveryID> {
        Set(rates.waiting.lazy.filter { !$0.value.isEmpty }.map(\.key))
    }

    /// Returns the children that have kept messages for longer than the maximum. Whatever they report about
    /// themselves, they are stuck.
    package func overdueChildren(at now: MonotonicTime, afterSeconds seconds: Int64) -> Set<ChildID> {
        Set(grants.values.filter { $0.isFilled && now >= $0.since.advanced(bySeconds: seconds) }.map(\.child))
    }

    /// The time for the next `tick`: when a waiting breaker, of an account or a topic, is due for a probe,
    /// when a quota or a delivery's rate allows more, or when small grants were put off for long enough.
    package var nextMoment: MonotonicTime? {
        [alarms.first, rates.alarms.first, topics.alarms.first, smallGrants].compactMap(\.self).min()
    }
}
