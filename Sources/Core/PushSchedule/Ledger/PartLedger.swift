package import PushModel

/// Which child holds which messages, and who gets the next.
///
/// **Promises.** A range of messages is held by at most one child; the ranges of a lost child return once,
/// after its last outcomes were committed; a child is never granted more than its capacity, nor an account
/// more than its share of it; accounts take turns; an account whose breaker waits or is stopped is granted
/// nothing, one that is probing a single message.
/// **Failures.** None: an event about a grant or a child that is not there is news from the dead and changes
/// nothing.
/// **Neighbours.** ``AccountBreaker``, ``StaffingPolicy``; the master's loop obeys the actions and has no
/// opinions.
package struct PartLedger: Sendable {
    package enum Event: Sendable {
        /// The store has a part that is not known to be dealt with.
        /// - Parameter committed: when that was; nil: before anybody looked.
        case found(
            Part, AccountID, priority: DeliveryPriority = .normal, committed: MonotonicTime? = nil)
        /// What the search for an app's parts that were left out has brought, and where to go on with it;
        /// nil: no others were left out. What is not of the kind that was searched for is passed over.
        case foundAgain(PartsLeftOut, [FoundPart], next: PartID?)
        /// Nothing of this delivery is to be sent any more.
        case finished(DeliveryID)
        /// An operator has paused this delivery: nothing of it is granted until ``deliveryResumed(_:)``.
        case deliveryPaused(DeliveryID)
        /// The delivery goes on: what is not known of it is to be found again.
        case deliveryResumed(DeliveryID)
        /// Of this delivery only so many messages may begin a second, until it has finished. To be said before
        /// a grant of it is filled; what was granted before is ``unread(_:)``, see ``ReadOrder/allowances``.
        case limited(DeliveryID, perSecond: Int)
        /// So many processes send: quotas and rates are shared by them, until it is known who has what.
        case shared(among: Int)
        /// Which of them have parts of what. Said each second; where it is not, ``shared(among:)`` is to be.
        case held(PartHolders)
        /// Messages of this app, tried before, are due again.
        case retriesDue(AppID, AccountID)
        case joined(ChildID, capacity: Int)
        /// This child gets nothing more.
        case draining(ChildID)
        /// The child is dead, its link was read to the end, and all it reported is committed. `byFault`: it
        /// crashed or wedged by itself; one that was killed from outside says nothing of its messages.
        case lost(ChildID, byFault: Bool = false)
        /// The child ended by itself, in order: what it has not answered it has not read, so nothing is lost.
        case left(ChildID)
        /// So many messages were found for a grant and are on their way to the child.
        /// - Parameters:
        ///   - topic: theirs, if the gateway refuses it: they are its probe, see ``PartLedger/mayGo(_:messages:of:at:)``.
        ///   - delivery: whose they are; nil only where none were found, or none has a rate.
        ///   - limited: a delivery of which more was due than the grant's allowances let it have.
        case filled(
            GrantID, messages: Int, of: DeliveryID? = nil, limited: DeliveryID? = nil, topic: TopicKey? = nil)
        /// What was found for a grant is of a refused topic whose probe it cannot be: it waits for the topic.
        case topicHeld(GrantID, TopicKey)
        /// Nothing of the part can be read here: another process has it, or its delivery is over.
        case elsewhere(PartID)
        /// The store could not be read for a grant: its messages wait again.
        case unread(GrantID)
        /// So many outcomes of a grant are committed; of them, so many were requeued unsent.
        case settled(GrantID, outcomes: Int, requeued: Int)
        /// The gateway judged a message of this account, so the account works.
        case proved(AccountID)
        /// What the account may have; told before its first message.
        case described(AccountID, AccountTerms)
        /// The app's messages go through this account from now on: its credential was changed.
        case moved(AppID, to: AccountID)
        /// The app is gone, and so are its deliveries: nothing of it waits.
        case deleted(AppID)
        case trouble(AccountID, AccountBreaker.Trouble, reason: String)
        /// The gateway refuses this topic of an account that works.
        case topicRefused(TopicKey, reason: String)
        /// Messages of this delivery and topic that had been tried before were put off in the store, until about then.
        case topicPutOff(TopicKey, DeliveryID, until: MonotonicTime)
        /// The gateway judged a message of this topic.
        case topicProved(TopicKey)
        /// An app's part of an account is in a storm.
        case partStopped(TopicKey, reason: String)
        /// An operator has decided about the storm.
        case partReleased(TopicKey)
        /// The gateway asked for a pause.
        case pause(AccountID, seconds: Int64, reason: String)
        /// Only a person may let the account go on.
        case stopped(AccountID, reason: String)
        case resumed(AccountID)
        /// An operator changed what an account or a topic of it was refused for, or ends its wait: both may be
        /// asked again at once, with a message each.
        case mended(AccountID)
        /// Nothing will be heard of this account again.
        case forgotten(AccountID)
        /// Time went by.
        case tick
    }

    package enum Action: Equatable, Sendable {
        /// Read these messages and send them to the child; answer with `filled`.
        case read(ReadOrder)
        /// No range of the part waits and no grant of it is out, or its delivery is paused and it is to be
        /// found again later. Its retries come separately.
        case partDone(PartID)
        /// The part's account has enough to do: it is to be found again later, see
        /// ``PartLedger/partsLeftOut(upTo:after:)``.
        case leftOut(PartID)
        /// The grant is closed: no child has messages of it.
        case released(GrantID)
        /// A lost child had these messages, and lost messages are not sent again. Comes before their
        /// `released`.
        case abandon(ReadOrder)
        /// The account has nothing out and nothing waiting.
        case rests(AccountID)
        /// More outcomes of the grant were reported than it had messages without one. Comes before its `released`.
        case excess(GrantID, outcomes: Int)
    }

    /// Messages of one grant at most: its frame stays within what the link allows with the longest tokens,
    /// and what is lost with a child is failed in one transaction.
    package static let largestGrant = 4_900
    static let smallestRetryGrant = RetryLosses.wholeGrant

    /// Ranges that may wait of one account, about 100 bytes each, and as many again above normal priority:
    /// the backlog stays on disk, and what is much of one account, perhaps a stopped one, does not keep the
    /// parts of another from being found, nor what is urgent of the same.
    package static let mostWaitingRanges = 2_000

    var accounts: [AccountID: Account] = [:]
    /// Accounts with work, which their breaker and quota let go: `ready` are still to be tried; for `starved`
    /// no child had credit. Accounts in neither cost nothing.
    var ready = TurnTaking<AccountID>(quantum: 1)
    var starved = TurnTaking<AccountID>(quantum: 1)
    /// Accounts of `ready` and `starved` that may be granted something though no child has a worthwhile
    /// ordinary share.
    var exceptions = TurnTaking<AccountID>(quantum: 1)
    /// `exceptions` are to be looked at.
    var areExceptionsDue = false
    /// `starved` are to be tried again.
    var hasCreditReturned = false
    /// When those among `starved` that could have had little are granted that; nil: there are none.
    var smallGrants: MonotonicTime?
    /// When accounts with work that must wait may be granted some.
    var alarms = Alarms<AccountID>()
    /// Accounts of which nothing but suspects could be granted.
    var suspectAccounts: Set<AccountID> = []
    /// Accounts that have room for parts that were left out of them.
    var searchableAccounts: Set<AccountID> = []
    /// Ranges that wait for a child.
    package internal(set) var waitingRanges = 0

    var children: [ChildID: ChildCredit] = [:]
    var grants: [GrantID: Grant] = [:]
    var parts: [PartID: OutstandingPart] = [:]
    var partsOf: [DeliveryID: Set<PartID>] = [:]
    /// Deliveries of which nothing is granted.
    var paused: Set<DeliveryID> = []
    var rates = Rates()
    var topics = Topics()
    var shares = HostShares()
    /// Through which account an app's messages go now.
    var accountOf: [AppID: AccountID] = [:]
    let mostWaitingRanges: Int
    var lastGrant: UInt32 = 0
    /// `retryLostMessages`: whether what a lost child had is granted again.
    package var requeuesLost: Bool
    let jitter: @Sendable (Int64) -> Int64

    /// - Parameters:
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
        handle(CollectionOfOne(event), at: now)
    }

    /// Events that became known together. Turns are given once for all of them, because that looks at each
    /// account that waits for credit.
    package mutating func handle(_ events: some Collection<Event>, at now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        for event in events { take(event, at: now, &actions) }
        assign(at: now, &actions)
        return actions
    }

    private mutating func take(_ event: Event, at now: MonotonicTime, _ actions: inout [Action]) {
        switch event {
        case .found(let part, let account, let priority, let committed):
            let found = FoundPart(part: part, account: account, priority: priority, committed: committed)
            add(found, at: now, &actions)
        case .foundAgain(let search, let found, let next):
            addLeftOut(found, of: search, next: next, at: now, &actions)
        case .finished(let delivery): drop(delivery, at: now, &actions)
        case .deliveryPaused(let delivery): pause(delivery, at: now, &actions)
        case .deliveryResumed(let delivery): resume(delivery, at: now)
        case .limited(let delivery, let perSecond): limit(delivery, perSecond: perSecond, at: now)
        case .retriesDue(let app, let account):
            note(app, goesThrough: account, at: now)
            withAccount(account, at: now) { $0.appsWithRetries.insert(app) }
        case .joined(let child, let capacity):
            children[child] = ChildCredit(capacity: capacity)
            creditReturned()
        case .draining(let child):
            children[child]?.isDraining = true
            creditReturned()
        case .lost(let child, let byFault): lose(child, byFault: byFault, at: now, &actions)
        case .left(let child): lose(child, byFault: false, hasLeft: true, at: now, &actions)
        case .filled(let grant, let messages, let delivery, let limited, let topic):
            if messages > 0 { noteTopic(topic, of: grant, at: now) }
            fill(grant, with: messages, of: delivery, limited: limited, at: now, &actions)
        case .topicHeld(let grant, let topic): hold(grant, of: topic, at: now, &actions)
        case .elsewhere(let part): dropRest(of: part, at: now, &actions)
        case .unread(let grant): giveBack(grant, at: now, &actions)
        case .settled(let grant, let outcomes, let requeued):
            settle(grant, outcomes: outcomes, requeued: requeued, at: now, &actions)
        case .described(let account, let terms):
            let share = shares.share(of: account, at: now)
            withAccount(account, at: now) {
                $0.bucket = terms.quota
                $0.bucket?.share = share
                $0.ownCapacity = terms.ownCapacity
            }
        case .shared(let hosts):
            shares.shared(among: hosts)
            divide(at: now)
        case .held(let parts):
            shares.learned(parts, at: now)
            divide(at: now)
        case .moved(let app, let account): move(app, to: account, at: now)
        case .deleted(let app): forget(app, at: now, &actions)
        case .forgotten(let account): forget(account)
        case .proved, .trouble, .topicRefused, .topicPutOff, .topicProved, .partStopped, .partReleased,
            .pause, .stopped, .resumed, .mended:
            hear(event, at: now)
        case .tick: creditReturned()
        }
    }

    /// What gateways and operators make of an account, or of a topic of it.
    private mutating func hear(_ event: Event, at now: MonotonicTime) {
        switch event {
        case .proved(let account): change(account, at: now) { $0.proved() }
        case .trouble(let account, let trouble, let reason):
            let jitter = jitter
            change(account, at: now) { $0.met(trouble, reason: reason, at: now, jitter: jitter) }
        case .topicRefused(let topic, let reason): refuse(topic, reason: reason, at: now)
        case .topicPutOff(let topic, let delivery, let moment): topics.putOff(topic, delivery, until: moment)
        case .topicProved(let topic): prove(topic, at: now)
        case .partStopped(let part, let reason): stop(part, reason: reason)
        case .partReleased(let part): release(part, at: now)
        case .pause(let account, let seconds, let reason):
            change(account, at: now) { $0.pause(seconds: seconds, reason: reason, at: now) }
        case .stopped(let account, let reason):
            withAccount(account, at: now) { $0.breaker.stop(reason: reason) }
        case .resumed(let account): change(account, at: now) { $0.resume() }
        case .mended(let account):
            askAboutTopics(of: account, at: now)
            change(account, at: now) { $0.mended(at: now) }
        default: break
        }
    }

    /// Changes the breaker of an account that is known.
    private mutating func change(
        _ account: AccountID, at now: MonotonicTime, _ change: (inout AccountBreaker) -> Void
    ) {
        guard accounts[account] != nil else { return }
        withAccount(account, at: now) { change(&$0.breaker) }
    }
}
