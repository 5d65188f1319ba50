internal import PushModel

/// Changes to an account, and their effect on the queues of accounts to be examined. Every change goes
/// through one function, so that the cost of an event depends only on the accounts that it concerns, however
/// many accounts exist.
extension PartLedger {
    @discardableResult
    mutating func withAccount<Result>(
        _ id: AccountID, at now: MonotonicTime, _ change: (inout Account) -> Result
    ) -> Result {
        var accountState = AccountState()
        let result = Self.apply(
            change, to: &accounts[id, default: Account()], maxWaiting: maxWaitingRanges, at: now,
            &accountState)
        note(id, accountState)
        return result
    }

    /// Works in place, so that the account's queues are not copied.
    private static func apply<Result>(
        _ change: (inout Account) -> Result, to account: inout Account, maxWaiting: Int,
        at now: MonotonicTime,
        _ accountState: inout AccountState
    ) -> Result {
        let result = change(&account)
        accountState = AccountState(&account, maxWaiting: maxWaiting, at: now)
        return result
    }

    /// The facts about an account that the ledger keeps outside the account.
    private struct AccountState {
        enum Readiness { case idle, ready, waiting(until: MonotonicTime?) }
        var turn = Readiness.idle
        var isNextSuspect = false
        var isException = false
        var isSearchable = false
        var addedRanges = 0

        init() {}

        init(_ account: inout Account, maxWaiting: Int, at now: MonotonicTime) {
            addedRanges = account.ranges.count - account.countedRanges
            account.countedRanges = account.ranges.count
            isSearchable = account.leftOut.keys.contains {
                account.hasRoomForMany($0, maxWaiting: maxWaiting)
            }
            guard account.hasWork, let next = account.next else { return }
            let allowance = account.breaker.allowance(at: now)
            guard allowance != .none else {
                turn = .waiting(until: account.breaker.nextMoment)
                return
            }
            turn = .ready
            isNextSuspect = account.isSuspect(next)
            isException = account.isException(next, allowance)
        }
    }

    private mutating func note(_ id: AccountID, _ accountState: AccountState) {
        waitingRanges += accountState.addedRanges
        switch accountState.turn {
        case .ready:
            starved.leave(id)
            ready.join(id)
            alarms.set(id, nil)
        case .waiting(let moment): rest(id, until: moment)
        case .idle: rest(id, until: nil)
        }
        if accountState.isNextSuspect { suspectAccounts.insert(id) } else { suspectAccounts.remove(id) }
        if accountState.isException {
            exceptions.join(id)
            areExceptionsDue = true
        } else {
            exceptions.leave(id)
        }
        if accountState.isSearchable { searchableAccounts.insert(id) } else { searchableAccounts.remove(id) }
    }

    /// Grants the account nothing until the account changes or until the given moment.
    mutating func rest(_ id: AccountID, until moment: MonotonicTime?) {
        ready.leave(id)
        starved.leave(id)
        exceptions.leave(id)
        alarms.set(id, moment)
    }

    /// Schedules another attempt for the accounts for which no child had credit. The attempt is made once
    /// there is enough credit.
    mutating func creditReturned() {
        hasCreditReturned = true
        areExceptionsDue = true
    }

    /// Moves all starved accounts to `ready`, keeping their order.
    mutating func retryStarved() {
        hasCreditReturned = false
        while let id = starved.first {
            starved.leave(id)
            ready.join(id)
        }
    }

    mutating func forget(_ id: AccountID) {
        waitingRanges -= accounts.removeValue(forKey: id)?.countedRanges ?? 0
        forgetTopics(of: id)
        rest(id, until: nil)
        suspectAccounts.remove(id)
        searchableAccounts.remove(id)
        for child in children.keys { children[child]?.forget(id) }
    }

    /// Records the app's account. From then on, the app's left-out parts are searched for under this account.
    mutating func note(_ app: AppID, goesThrough account: AccountID, at now: MonotonicTime) {
        guard let old = accountOf.updateValue(account, forKey: app), old != account,
            accounts[old]?.leftOut.keys.contains(where: { $0.app == app }) == true
                || accounts[old]?.heldOut.keys.contains(where: { $0.app == app }) == true
        else { return }
        let leftOut = withAccount(old, at: now) { $0.removeLeftOut(of: app) }
        withAccount(account, at: now) { $0.add(leftOut) }
    }

    /// Moves the app's waiting ranges immediately. Granted messages return by themselves and then wait in the
    /// new account.
    mutating func move(_ app: AppID, to account: AccountID, at now: MonotonicTime) {
        guard let old = accountOf.updateValue(account, forKey: app), old != account, accounts[old] != nil
        else { return }
        for (id, part) in parts where part.app == app { parts[id]?.account = account }
        let moving = withAccount(old, at: now) { old in
            (
                ranges: old.ranges.removeAll(of: app), hadRetries: old.appsWithRetries.remove(app) != nil,
                losses: old.suspectedRetries.remove(app), leftOut: old.removeLeftOut(of: app)
            )
        }
        withAccount(account, at: now) { account in
            for range in moving.ranges { account.ranges.add(range) }
            account.suspectedRetries.set(moving.losses, of: app)
            if moving.hadRetries { account.appsWithRetries.insert(app) }
            account.add(moving.leftOut)
        }
    }

    /// Forgets a deleted app. The app may still be in `appsWithRetries` although its deliveries have ended,
    /// because retries of an account that is granted nothing are not read.
    mutating func forget(_ app: AppID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard let account = accountOf.removeValue(forKey: app), accounts[account] != nil else { return }
        withAccount(account, at: now) {
            $0.appsWithRetries.remove(app)
            _ = $0.suspectedRetries.remove(app)
            _ = $0.removeLeftOut(of: app)
        }
        if rests(account) { actions.append(.rests(account)) }
    }
}
