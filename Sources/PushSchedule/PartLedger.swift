package import PushModel

/// Which child holds which messages, and who gets the next.
///
/// **Promises.** A range of messages is held by at most one child; the ranges of a lost child return once, after its
/// last outcomes were committed; a child is never granted more than its room, nor an account more than its share of it;
/// accounts take turns; an account whose gate is closed is granted nothing, one on probation a single message.
/// **Failures.** None: an event about a grant or a child that is not there is news from the dead and changes nothing.
/// **Neighbours.** ``AccountGate``, ``StaffingPolicy``; the master's loop obeys the actions and has no opinions.
package struct PartLedger: Sendable {
    package enum Event: Sendable {
        /// The store has a part that is not known to be dealt with.
        case found(Part, AccountID)
        /// What the search for an app's parts that were left out has brought, and where to go on with it; nil: no
        /// others were left out.
        case foundAgain(AppID, [(part: Part, account: AccountID)], next: PartID?)
        /// Nothing of this delivery is to be sent any more.
        case finished(DeliveryID)
        /// Messages of this app, tried before, are due again.
        case retriesDue(AppID, AccountID)
        case joined(ChildID, room: Int)
        /// This child gets nothing more.
        case draining(ChildID)
        /// The child is dead, its link was read to the end, and all it reported is committed. `byFault`: it crashed or
        /// wedged by itself; one that was killed from outside says nothing of its messages.
        case lost(ChildID, byFault: Bool = false)
        /// The child ended by itself, in order: what it has not answered it has not read, so nothing is lost.
        case left(ChildID)
        /// So many messages were found for a grant and are on their way to the child.
        case filled(GrantID, messages: Int)
        /// The store could not be read for a grant: its messages wait again.
        case unread(GrantID)
        /// So many outcomes of a grant are committed; of them, so many were put back unsent.
        case settled(GrantID, outcomes: Int, putBack: Int)
        /// The gateway judged a message of this account, so the account works.
        case proved(AccountID)
        /// What the account may have; told before its first message.
        case described(AccountID, AccountTerms)
        /// The app's messages go through this account from now on: its credential was changed.
        case moved(AppID, to: AccountID)
        /// The app is gone, and so are its deliveries: nothing of it waits.
        case deleted(AppID)
        case trouble(AccountID, AccountGate.Trouble, reason: String)
        /// The gateway asked for a pause.
        case pause(AccountID, seconds: Int64, reason: String)
        /// Only a person may let the account go on.
        case stopped(AccountID, reason: String)
        case resumed(AccountID)
        /// Somebody changed what an account was refused for: it may be asked again at once.
        case mended(AccountID)
        /// Nothing will be heard of this account again.
        case forgotten(AccountID)
        /// Time went by.
        case tick
    }

    package enum Action: Equatable, Sendable {
        /// Read these messages and send them to the child; answer with `filled`.
        case read(ReadOrder)
        /// Every message of the part has left its first pass.
        case partDone(PartID)
        /// The part's account has enough to do: it is to be found again later, see
        /// ``PartLedger/partsLeftOut(upTo:after:)``.
        case leftOut(PartID)
        /// The messages of this grant are held no more.
        case released(GrantID)
        /// A lost child had these messages, and lost messages are not sent again. Comes before their `released`.
        case abandon(ReadOrder)
        /// The account has nothing out and nothing waiting.
        case rests(AccountID)
    }

    /// Messages of one grant at most: its frame stays within what the link allows with the longest tokens, and what is
    /// lost with a child is failed in one transaction.
    package static let largestGrant = 4_900
    static let smallestRetryGrant = 500
    /// A child may crash for any reason; from so many on the messages that it had are suspected.
    static let harmlessLosses = 2
    /// A message with which alone so many children crashed is given up.
    static let lossesAlone = 3

    /// Ranges that may wait of one account, about 100 bytes each: the backlog stays on disk, and what is much of one
    /// account, perhaps a stopped one, does not keep the parts of another from being found.
    package static let mostWaitingRanges = 2_000

    var accounts: [AccountID: Account] = [:]
    var turns = TurnTaking<AccountID>(quantum: 1)
    var children: [ChildID: Child] = [:]
    var grants: [GrantID: Grant] = [:]
    var parts: [PartID: PartProgress] = [:]
    /// Through which account an app's messages go now.
    var accountOf: [AppID: AccountID] = [:]
    /// Apps of which parts were left out, and the first of those.
    var leftOut: [AppID: PartID] = [:]
    let mostWaitingRanges: Int
    var lastGrant: UInt32 = 0
    private let requeuesLost: Bool
    private let jitter: @Sendable (Int64) -> Int64

    /// - Parameters:
    ///   - requeuesLost: `retryLostMessages`: whether what a lost child had is granted again.
    ///   - mostWaitingRanges: of one account.
    ///   - jitter: maps a delay in milliseconds to one near it.
    package init(
        requeuesLost: Bool = true, mostWaitingRanges: Int = Self.mostWaitingRanges,
        jitter: @escaping @Sendable (Int64) -> Int64
    ) {
        self.requeuesLost = requeuesLost
        self.mostWaitingRanges = max(mostWaitingRanges, 1)
        self.jitter = jitter
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .found(let part, let account): add(part, of: account, &actions)
        case .foundAgain(let app, let found, let next): addLeftOut(found, of: app, next: next, &actions)
        case .finished(let delivery): drop(delivery, &actions)
        case .retriesDue(let app, let account):
            accountOf[app] = account
            withAccount(account) { $0.appsWithRetries.insert(app) }
        case .joined(let child, let room): children[child] = Child(room: max(room, 1))
        case .draining(let child): children[child]?.isDraining = true
        case .lost(let child, let byFault): lose(child, byFault: byFault, at: now, &actions)
        case .left(let child): lose(child, byFault: false, hasLeft: true, at: now, &actions)
        case .filled(let grant, let messages): fill(grant, with: messages, at: now, &actions)
        case .unread(let grant): giveBack(grant, at: now, &actions)
        case .settled(let grant, let outcomes, let putBack):
            settle(grant, outcomes: outcomes, putBack: putBack, at: now, &actions)
        case .proved(let account): accounts[account]?.gate.proved()
        case .described(let account, let terms):
            withAccount(account) {
                $0.bucket = terms.quota
                $0.ownRoom = terms.ownRoom
                if let reason = terms.stoppedBecause { $0.gate.stop(reason: reason) }
            }
        case .moved(let app, let account): move(app, to: account)
        case .deleted(let app): forget(app, &actions)
        case .trouble(let account, let trouble, let reason):
            accounts[account]?.gate.met(trouble, reason: reason, at: now, jitter: jitter)
        case .pause(let account, let seconds, let reason):
            accounts[account]?.gate.pause(seconds: seconds, reason: reason, at: now)
        case .stopped(let account, let reason): withAccount(account) { $0.gate.stop(reason: reason) }
        case .resumed(let account): accounts[account]?.gate.resume()
        case .mended(let account): accounts[account]?.gate.mended(at: now)
        case .forgotten(let account):
            accounts[account] = nil
            turns.leave(account)
        case .tick: break
        }
        assign(at: now, &actions)
        return actions
    }

    // MARK: What the master asks

    /// Ranges that wait for a child.
    package var waitingRanges: Int { accounts.values.reduce(0) { $0 + $1.ranges.count } }

    /// Whether some account could be granted messages if only a child had room.
    package func lacksRoom(at now: MonotonicTime) -> Bool {
        accounts.contains { id, account in
            // Room of its own is full by design: another child would only double the bound on duplicates.
            let isServed = account.ownRoom != nil && children.values.contains { !$0.isDraining && $0.knows(id) }
            return account.gate.allowance(at: now) != .none && account.hasWork && !isServed
                && !children.values.contains {
                    !$0.isDraining && $0.credit(of: id, account) >= account.leastGrant(inRoom: $0.room)
                }
        }
    }

    /// Messages granted to a child and not yet committed: what a crash now would leave unrecorded at most.
    package func outstanding(of child: ChildID) -> Int { children[child]?.outstanding ?? 0 }
    package func outstanding(of account: AccountID) -> Int {
        children.values.reduce(0) { $0 + $1.outstanding(of: account) }
    }
    /// What the account's quota allows a second now; nil: it has none.
    package func rate(of account: AccountID, at now: MonotonicTime) -> Double? {
        accounts[account]?.bucket?.rate(at: now)
    }
    package var unrecorded: Int { children.values.reduce(0) { $0 + $1.outstanding } }
    package func holds(_ grant: GrantID) -> Bool { grants[grant] != nil }
    /// Whether the messages of a grant may still go to its child: its account may have come into trouble while they
    /// were read. Those of a probe may, unless a person has to look at the account first.
    package func mayGo(_ grant: GrantID) -> Bool {
        guard let grant = grants[grant], let gate = accounts[grant.account]?.gate else { return false }
        return gate.isOpen || grant.isProbe && gate.state != .stopped
    }
    package func knows(_ part: PartID) -> Bool { parts[part] != nil }
    package func gate(of account: AccountID) -> AccountGate? { accounts[account]?.gate }
    package func source(of grant: GrantID) -> ReadOrder.Source? { grants[grant]?.source }
    package func rests(_ account: AccountID) -> Bool {
        guard let account = accounts[account] else { return true }
        return account.grantsOut == 0 && !account.hasWork
    }

    /// Whether what the account has waits for something that is known and told: its breaker, an operator, its quota.
    package func isHeldBack(_ account: AccountID, at now: MonotonicTime) -> Bool {
        guard let account = accounts[account] else { return false }
        if !account.gate.isOpen { return true }
        return account.grantsOut == 0 && account.bucket.map { $0.nextMoment(at: now) > now } ?? false
    }

    /// Children that have kept messages for longer than they may keep any: whatever they say of themselves, they are
    /// stuck.
    package func overdueChildren(at now: MonotonicTime, afterSeconds seconds: Int64) -> Set<ChildID> {
        Set(grants.values.filter { $0.isFilled && now >= $0.since.advanced(bySeconds: seconds) }.map(\.child))
    }

    /// When a closed gate wants to be asked again, or a quota allows more: the time for a `tick`.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime? {
        accounts.values.filter { $0.hasWork }.compactMap { account in
            account.gate.isOpen ? account.bucket?.nextMoment(at: now) : account.gate.nextMoment
        }.min()
    }

    // MARK: Events

    mutating func withAccount(_ id: AccountID, _ change: (inout Account) -> Void) {
        change(&accounts[id, default: Account()])
        turns.join(id)
    }

    /// What waits moves at once; what is out comes back by itself, and then waits at the new account.
    private mutating func move(_ app: AppID, to account: AccountID) {
        guard let old = accountOf[app], old != account else {
            accountOf[app] = account
            return
        }
        accountOf[app] = account
        let ranges = accounts[old]?.ranges.filter { parts[$0.part]?.app == app } ?? []
        let hadRetries = accounts[old]?.appsWithRetries.contains(app) == true
        accounts[old]?.ranges.removeAll { parts[$0.part]?.app == app }
        accounts[old]?.appsWithRetries.remove(app)
        let losses = accounts[old]?.retryLosses.removeValue(forKey: app)
        withAccount(account) {
            $0.ranges += ranges
            $0.retryLosses[app] = losses
            if hadRetries { $0.appsWithRetries.insert(app) }
        }
    }

    private mutating func fill(_ id: GrantID, with messages: Int, at now: MonotonicTime, _ actions: inout [Action]) {
        guard var grant = grants[id], !grant.isFilled else { return }
        let unused = grant.unanswered - messages
        grant.isFilled = true
        grant.since = now
        grant.unanswered = messages
        grants[id] = grant
        children[grant.child]?.giveBack(unused, of: grant)
        accounts[grant.account]?.bucket?.giveBack(unused)
        if case .retries(let app, _) = grant.source {
            accounts[grant.account]?.appsBeingRead.remove(app)
            if messages == 0 { accounts[grant.account]?.appsWithRetries.remove(app) }
        }
        if messages == 0 {
            // What was put back of a range stands among messages that have their outcome: a probe may meet one.
            if grant.isProbe { accounts[grant.account]?.gate.probeAskedNobody(at: now) }
            close(id, grant, at: now, &actions)
        }
    }

    private mutating func settle(
        _ id: GrantID, outcomes: Int, putBack: Int, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard var grant = grants[id], grant.isFilled else { return }
        let outcomes = min(outcomes, grant.unanswered)
        grant.unanswered -= outcomes
        grant.putBack += putBack
        grants[id] = grant
        accounts[grant.account]?.bucket?.giveBack(putBack)
        children[grant.child]?.giveBack(outcomes, of: grant)
        guard grant.unanswered == 0 else { return }
        // What was put back was perhaps not touched.
        if grant.putBack == 0 { noteGoodEnd(of: grant) }
        close(id, grant, at: now, &actions)
    }

    private mutating func giveBack(_ id: GrantID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard var grant = grants[id], !grant.isFilled else { return }
        children[grant.child]?.giveBack(grant.unanswered, of: grant)
        accounts[grant.account]?.bucket?.giveBack(grant.unanswered)
        grant.putBack = 1
        if case .retries(let app, _) = grant.source { accounts[grant.account]?.appsBeingRead.remove(app) }
        close(id, grant, at: now, &actions)
    }

    private mutating func lose(
        _ id: ChildID, byFault: Bool, hasLeft: Bool = false, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard children.removeValue(forKey: id) != nil else { return }
        let isAlone = grants.values.count { $0.child == id && $0.isFilled } == 1
        for (grantID, var grant) in grants.filter({ $0.value.child == id }).sorted(by: { $0.key < $1.key }) {
            if grant.isFilled, byFault { noteCrash(of: &grant, isAlone: isAlone) }
            if hasLeft || !grant.isFilled || requeuesLost && !grant.isHopeless {
                grant.putBack = max(grant.putBack, 1)
            } else {
                // Of a range the store ends all that still is pending, for nobody knows which of it was put back: to
                // read it again before would send what was lost. Retries have names, and are held until they end.
                if case .range = grant.source { grant.putBack = 0 }
                actions.append(
                    .abandon(ReadOrder(grant: grantID, child: id, account: grant.account, source: grant.source)))
            }
            if case .retries(let app, _) = grant.source { accounts[grant.account]?.appsBeingRead.remove(app) }
            close(grantID, grant, at: now, &actions)
        }
    }

    private mutating func noteCrash(of grant: inout Grant, isAlone: Bool) {
        switch grant.source {
        case .range:
            grant.losses.all += 1
            if isAlone { grant.losses.alone += 1 }
        case .retries(let app, let limit):
            guard requeuesLost else { return }
            withAccount(accountOf[app] ?? grant.account) {
                var losses = $0.retryLosses[app] ?? RetryLosses()
                losses.crashed(limit: limit, asSuspect: grant.losses.isSuspect, isAlone: isAlone)
                grant.losses = losses.losses
                // The message goes, and nobody suspects the others for it.
                $0.retryLosses[app] = grant.isHopeless ? nil : losses
            }
        }
    }

    private mutating func noteGoodEnd(of grant: Grant) {
        guard case .retries(let app, let limit) = grant.source, grant.losses.isSuspect else { return }
        let account = accountOf[app] ?? grant.account
        guard accounts[account]?.retryLosses[app]?.wentWell(limit: limit) == true else { return }
        accounts[account]?.retryLosses[app] = nil
    }

    /// The grant is over. What was put back waits again: the store gives only what is still unsent of a range.
    private mutating func close(_ id: GrantID, _ grant: Grant, at now: MonotonicTime, _ actions: inout [Action]) {
        grants[id] = nil
        children[grant.child]?.drop(grant)
        actions.append(.released(id))
        if grant.isProbe { accounts[grant.account]?.gate.probeEnded(at: now) }
        accounts[grant.account]?.grantsOut -= 1
        defer { if rests(grant.account) { actions.append(.rests(grant.account)) } }
        switch grant.source {
        case .range(let part, let messages):
            parts[part]?.out -= 1
            if grant.putBack > 0 {
                parts[part]?.waiting += 1
                let range = WaitingRange(part: part, messages: messages, losses: grant.losses)
                let account = parts[part].flatMap { accountOf[$0.app] } ?? grant.account
                // A probe's message goes behind the others: the next probe asks for somebody else.
                // So does a suspect: what is not suspected does not wait for it.
                let isLast = grant.isProbe || range.losses.isSuspect
                withAccount(account) { $0.ranges.insert(range, at: isLast ? $0.ranges.endIndex : 0) }
            } else if let progress = parts[part], progress.waiting == 0, progress.out == 0 {
                parts[part] = nil
                actions.append(.partDone(part))
            }
        case .retries(let app, _):
            // Of an app that was deleted meanwhile nothing waits again.
            if grant.putBack > 0, let account = accountOf[app] {
                withAccount(account) { $0.appsWithRetries.insert(app) }
            }
        }
    }
}
