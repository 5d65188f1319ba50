package import PushModel

/// Which child holds which messages, and who gets the next.
///
/// **Promises.** A range of messages is held by at most one child; the ranges of a lost child return once, after its
/// last outcomes were committed; a child is never granted more than its room; accounts take turns; an account whose
/// gate is closed is granted nothing, one on probation a single message.
/// **Failures.** None: an event about a grant or a child that is not there is news from the dead and changes nothing.
/// **Neighbours.** ``AccountGate``, ``StaffingPolicy``; the master's loop obeys the actions and has no opinions.
package struct PartLedger: Sendable {
    package enum Event: Sendable {
        /// The store has a part that is not known to be dealt with.
        case found(Part, AccountID)
        /// Messages of this app, tried before, are due again.
        case retriesDue(AppID, AccountID)
        case joined(ChildID, room: Int)
        /// This child gets nothing more.
        case draining(ChildID)
        /// The child is dead, its link was read to the end, and all it reported is committed.
        case lost(ChildID)
        /// So many messages were found for a grant and are on their way to the child.
        case filled(GrantID, messages: Int)
        /// The store could not be read for a grant: its messages wait again.
        case unread(GrantID)
        /// So many outcomes of a grant are committed; of them, so many were put back unsent.
        case settled(GrantID, outcomes: Int, putBack: Int)
        /// The gateway judged a message of this account, so the account works.
        case proved(AccountID)
        /// The account has a quota, or none; told before its first message.
        case quota(AccountID, TokenBucket?)
        case trouble(AccountID, AccountGate.Trouble, reason: String)
        /// The gateway asked for a pause.
        case pause(AccountID, seconds: Int64, reason: String)
        /// Time went by.
        case tick
    }

    package enum Action: Equatable, Sendable {
        /// Read these messages and send them to the child; answer with `filled`.
        case read(ReadOrder)
        /// Every message of the part has left its first pass.
        case partDone(PartID)
        /// The messages of this grant are held no more.
        case released(GrantID)
    }

    /// Messages of one grant at most: its frame stays within what the link allows with the longest tokens.
    package static let largestGrant = 5_000
    static let smallestRetryGrant = 500

    private var accounts: [AccountID: Account] = [:]
    private var turns = TurnTaking<AccountID>(quantum: 1)
    private var children: [ChildID: Child] = [:]
    private var grants: [GrantID: Grant] = [:]
    private var parts: [PartID: PartProgress] = [:]
    private var lastGrant: UInt32 = 0
    private let jitter: @Sendable (Int64) -> Int64

    /// `jitter` maps a delay in milliseconds to one near it.
    package init(jitter: @escaping @Sendable (Int64) -> Int64) { self.jitter = jitter }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .found(let part, let account): add(part, of: account)
        case .retriesDue(let app, let account): withAccount(account) { $0.appsWithRetries.insert(app) }
        case .joined(let child, let room): children[child] = Child(room: max(room, 1))
        case .draining(let child): children[child]?.isDraining = true
        case .lost(let child): lose(child, at: now, &actions)
        case .filled(let grant, let messages): fill(grant, with: messages, at: now, &actions)
        case .unread(let grant): giveBack(grant, at: now, &actions)
        case .settled(let grant, let outcomes, let putBack):
            settle(grant, outcomes: outcomes, putBack: putBack, at: now, &actions)
        case .proved(let account): accounts[account]?.gate.proved()
        case .quota(let account, let bucket): withAccount(account) { $0.bucket = bucket }
        case .trouble(let account, let trouble, let reason):
            accounts[account]?.gate.met(trouble, reason: reason, at: now, jitter: jitter)
        case .pause(let account, let seconds, let reason):
            accounts[account]?.gate.pause(seconds: seconds, reason: reason, at: now)
        case .tick: break
        }
        assign(at: now, &actions)
        return actions
    }

    // MARK: What the master asks

    /// Ranges that wait for a child: the master loads more parts when few are left.
    package var waitingRanges: Int { accounts.values.reduce(0) { $0 + $1.ranges.count } }

    /// Whether some account could be granted messages if only a child had room.
    package func lacksRoom(at now: MonotonicTime) -> Bool {
        accounts.values.contains { account in
            account.gate.allowance(at: now) != .none && account.hasWork
                && !children.values.contains { !$0.isDraining && $0.credit >= account.leastGrant(inRoom: $0.room) }
        }
    }

    /// Messages granted to a child and not yet committed: what a crash now would leave unrecorded at most.
    package func outstanding(of child: ChildID) -> Int { children[child]?.outstanding ?? 0 }
    package var unrecorded: Int { children.values.reduce(0) { $0 + $1.outstanding } }
    package func holds(_ grant: GrantID) -> Bool { grants[grant] != nil }
    package func knows(_ part: PartID) -> Bool { parts[part] != nil }
    package func gate(of account: AccountID) -> AccountGate? { accounts[account]?.gate }
    package func source(of grant: GrantID) -> ReadOrder.Source? { grants[grant]?.source }

    /// When a closed gate wants to be asked again, or a quota allows more: the time for a `tick`.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime? {
        accounts.values.filter { $0.hasWork }.compactMap { account in
            account.gate.isOpen ? account.bucket?.nextMoment(at: now) : account.gate.nextMoment
        }.min()
    }

    // MARK: Events

    private mutating func withAccount(_ id: AccountID, _ change: (inout Account) -> Void) {
        change(&accounts[id, default: Account()])
        turns.join(id)
    }

    private mutating func add(_ part: Part, of account: AccountID) {
        guard parts[part.id] == nil else { return }
        parts[part.id] = PartProgress(waiting: 1, out: 0)
        withAccount(account) { $0.ranges.append(WaitingRange(part: part.id, messages: part.messages)) }
    }

    private mutating func fill(_ id: GrantID, with messages: Int, at now: MonotonicTime, _ actions: inout [Action]) {
        guard var grant = grants[id], !grant.isFilled else { return }
        let unused = grant.unanswered - messages
        grant.isFilled = true
        grant.unanswered = messages
        grants[id] = grant
        children[grant.child]?.outstanding -= unused
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
        children[grant.child]?.outstanding -= outcomes
        if grant.unanswered == 0 { close(id, grant, at: now, &actions) }
    }

    private mutating func giveBack(_ id: GrantID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard var grant = grants[id], !grant.isFilled else { return }
        children[grant.child]?.outstanding -= grant.unanswered
        accounts[grant.account]?.bucket?.giveBack(grant.unanswered)
        grant.putBack = 1
        if case .retries(let app, _) = grant.source { accounts[grant.account]?.appsBeingRead.remove(app) }
        close(id, grant, at: now, &actions)
    }

    private mutating func lose(_ id: ChildID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard children.removeValue(forKey: id) != nil else { return }
        for (grantID, var grant) in grants.filter({ $0.value.child == id }).sorted(by: { $0.key < $1.key }) {
            grant.putBack = max(grant.putBack, 1)
            if case .retries(let app, _) = grant.source { accounts[grant.account]?.appsBeingRead.remove(app) }
            close(grantID, grant, at: now, &actions)
        }
    }

    /// The grant is over. What was put back waits again: the store gives only what is still unsent of a range.
    private mutating func close(_ id: GrantID, _ grant: Grant, at now: MonotonicTime, _ actions: inout [Action]) {
        grants[id] = nil
        actions.append(.released(id))
        if grant.isProbe { accounts[grant.account]?.gate.probeEnded(at: now) }
        switch grant.source {
        case .range(let part, let messages):
            parts[part]?.out -= 1
            if grant.putBack > 0 {
                parts[part]?.waiting += 1
                let range = WaitingRange(part: part, messages: messages)
                // A probe's message goes behind the others: the next probe asks for somebody else.
                if grant.isProbe {
                    accounts[grant.account]?.ranges.append(range)
                } else {
                    accounts[grant.account]?.ranges.insert(range, at: 0)
                }
            } else if let progress = parts[part], progress.waiting == 0, progress.out == 0 {
                parts[part] = nil
                actions.append(.partDone(part))
            }
        case .retries(let app, _):
            if grant.putBack > 0 { accounts[grant.account]?.appsWithRetries.insert(app) }
        }
    }

    // MARK: Granting

    private mutating func assign(at now: MonotonicTime, _ actions: inout [Action]) {
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
        guard allowance != .none, let child = childWithRoom(for: id) else { return nil }
        let credit = children[child]?.credit ?? 0
        let room = children[child]?.room ?? 0
        let most = allowance == .one ? 1 : min(max(room / 4, 1), Self.largestGrant)

        let source: ReadOrder.Source
        let count: Int
        if let app = account.nextAppWithRetries {
            // Small grants are dear: each one looks past all due messages that are held already.
            guard credit >= min(most, Self.smallestRetryGrant) else { return nil }
            count = account.quotaAllows(min(most, credit), at: now)
            guard count > 0 else { return keepBucket(account.bucket, of: id) }
            account.appsBeingRead.insert(app)
            account.lastAppWithRetries = app
            source = .retries(app, limit: count)
        } else if let range = account.ranges.first {
            let wanted = min(most, range.count)
            // Small grants are dear: wait until a whole one fits.
            guard wanted <= credit else { return nil }
            count = account.quotaAllows(wanted, at: now)
            guard count > 0 else { return keepBucket(account.bucket, of: id) }
            source = .range(range.part, account.takeFirst(count))
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
        grants[grant] = Grant(
            child: child, account: id, source: source, unanswered: count, isProbe: allowance == .one)
        children[child]?.outstanding += count
        children[child]?.accounts.insert(id)
        return ReadOrder(grant: grant, child: child, account: id, source: source)
    }

    /// No grant now; but what has run into the bucket since the last question stays in it.
    private mutating func keepBucket(_ bucket: TokenBucket?, of account: AccountID) -> ReadOrder? {
        accounts[account]?.bucket = bucket
        return nil
    }

    /// Accounts stick to the children that have connections for them; among equals, the one with most room.
    private func childWithRoom(for account: AccountID) -> ChildID? {
        children.filter { !$0.value.isDraining && $0.value.credit > 0 }
            .max { left, right in
                let leftKnows = left.value.knows(account)
                let rightKnows = right.value.knows(account)
                if leftKnows != rightKnows { return rightKnows }
                if left.value.credit != right.value.credit { return left.value.credit < right.value.credit }
                return left.key > right.key
            }?.key
    }
}
