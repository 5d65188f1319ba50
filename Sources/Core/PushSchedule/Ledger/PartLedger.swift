package import PushModel

/// Records which child has which messages, and decides which account is granted messages next.
///
/// **Promises.** Each range of messages is with at most one child. The ranges of a lost child return once,
/// after the child's last outcomes have been committed. A child is never granted more than its capacity, and
/// an account is never granted more than its share of that capacity. Accounts take turns. An account whose
/// breaker waits or is stopped is granted nothing; an account that is probing is granted a single message.
/// **Failures.** None: an event about a grant or a child that no longer exists is late and changes nothing.
/// **Neighbours.** ``AccountBreaker``, ``ChildCountPolicy``; the master's loop carries out the actions and
/// makes no decisions.
package struct PartLedger: Sendable {
    package enum Event: Sendable {
        /// The store has a part that is not known to be completed.
        /// - Parameter committed: When the part was committed; `nil` if this is not known.
        case found(
            Part, AccountID, priority: DeliveryPriority = .normal, committed: MonotonicTime? = nil)
        /// The result of the search for an app's parts that were left out. `next` is the part at which the
        /// search must continue; `nil` if no more parts were left out. Parts of a kind that was not searched
        /// for are skipped.
        case foundAgain(PartsLeftOut, [FoundPart], next: PartID?)
        /// No further messages of this delivery may be sent.
        case finished(DeliveryID)
        /// An operator has paused this delivery. None of its messages is granted until
        /// ``deliveryResumed(_:)``.
        case deliveryPaused(DeliveryID)
        /// The delivery was resumed. Those of its parts that the ledger does not know must be found again.
        case deliveryResumed(DeliveryID)
        /// Until this delivery has finished, the sending of at most the given number of its messages may
        /// begin per second. This event must precede the filling of any grant of the delivery. Grants made
        /// before this event are ``unread(_:)``, see ``ReadOrder/allowances``.
        case limited(DeliveryID, perSecond: Int)
        /// The number of processes that send. They share quotas and rates equally, until ``held(_:)`` reports
        /// which of them have which parts.
        case shared(among: Int)
        /// The processes that have parts of each delivery and account. The event is expected every second;
        /// otherwise ``shared(among:)`` must be sent.
        case held(PartHolders)
        /// Messages of this app that were tried before are due again.
        case retriesDue(AppID, AccountID)
        case joined(ChildID, capacity: Int)
        /// This child is granted nothing more.
        case draining(ChildID)
        /// The child is dead, its link was read to the end, and everything it reported is committed.
        /// - Parameter byFault: Whether the child crashed or got stuck by itself. If a child was killed from
        ///   outside, its end is not evidence against its messages.
        case lost(ChildID, byFault: Bool = false)
        /// The child ended by itself, in an orderly way. It has not read the messages that it has not
        /// answered, so nothing is lost.
        case left(ChildID)
        /// The given number of messages were found for a grant and are on their way to the child.
        /// - Parameters:
        ///   - topic: The topic of the messages if the gateway refuses this topic. If so, the messages are
        ///     the topic's probe, see ``PartLedger/mayGo(_:messages:of:at:)``.
        ///   - delivery: The delivery of the messages; `nil` only if none were found or no delivery has a
        ///     rate.
        ///   - limited: A delivery that had more due messages than the grant's allowances permitted.
        case filled(
            GrantID, messages: Int, of: DeliveryID? = nil, limited: DeliveryID? = nil, topic: TopicKey? = nil)
        /// The messages found for a grant have a refused topic and cannot be the topic's probe. They wait for
        /// the topic.
        case topicHeld(GrantID, TopicKey)
        /// None of the part's messages can be read on this host, because another process has the part or the
        /// part's delivery is over.
        case elsewhere(PartID)
        /// The store could not be read for a grant. Its messages wait again.
        case unread(GrantID)
        /// The given number of outcomes of a grant are committed. `requeued` of them were requeued unsent.
        case settled(GrantID, outcomes: Int, requeued: Int)
        /// The gateway judged a message of this account, which shows that the account works.
        case proved(AccountID)
        /// The limits of the account. This event precedes the account's first message.
        case described(AccountID, AccountLimits)
        /// The app's messages go through this account from now on, because its credential was changed.
        case moved(AppID, to: AccountID)
        /// The app and its deliveries were deleted. None of its messages waits.
        case deleted(AppID)
        case failure(AccountID, AccountBreaker.Failure, reason: String)
        /// The gateway refuses this topic of an account that works.
        case topicRefused(TopicKey, reason: String)
        /// Messages of this delivery and topic that were tried before were put off in the store, until about
        /// the given moment.
        case topicPutOff(TopicKey, DeliveryID, until: MonotonicTime)
        /// The gateway judged a message of this topic.
        case topicProved(TopicKey)
        /// An app's part of an account is in a storm.
        case partStopped(TopicKey, reason: String)
        /// An operator has decided about the storm.
        case partReleased(TopicKey)
        /// The gateway asked for a pause.
        case pause(AccountID, seconds: Int64, reason: String)
        /// Only an operator can resume the account.
        case stopped(AccountID, reason: String)
        case resumed(AccountID)
        /// An app of the account was changed, so the reason why the account or one of its topics was refused
        /// may no longer exist; or an operator resumed the account. The account and each of its topics may be
        /// probed again immediately, with one message each.
        case repaired(AccountID)
        /// No further event about this account follows.
        case forgotten(AccountID)
        /// Time has passed.
        case tick
    }

    package enum Action: Equatable, Sendable {
        /// Read these messages and send them to the child. The answer is `filled`.
        case read(ReadOrder)
        /// No range of the part waits and none of its grants is out, or its delivery is paused and the part
        /// must be found again later. The part's retries are handled separately.
        case partDone(PartID)
        /// The part's account has enough to do. The part must be found again later, see
        /// ``PartLedger/partsLeftOut(upTo:after:)``.
        case leftOut(PartID)
        /// The grant is closed. No child has any of its messages.
        case released(GrantID)
        /// A lost child had these messages, and lost messages are not sent again. Precedes the `released` of
        /// their grant.
        case abandon(ReadOrder)
        /// The account has no grants out and nothing waiting.
        case rests(AccountID)
        /// More outcomes of the grant were reported than the grant had unanswered messages. Precedes the
        /// grant's `released`.
        case excess(GrantID, outcomes: Int)
    }

    /// The maximum number of messages of one grant. With this maximum, the frame stays within the limits of
    /// the link even with the longest tokens, and the messages of a lost child can be marked as failed in one
    /// transaction.
    package static let largestGrant = 4_900
    static let smallestRetryGrant = RetryLosses.wholeGrant

    /// The maximum number of waiting ranges of one account, about 100 bytes each. Ranges above normal
    /// priority have a separate maximum of the same size. The backlog stays on disk. A large backlog of one
    /// account, perhaps a stopped one, does not prevent the parts of another account, or urgent parts of the
    /// same account, from being found.
    package static let maxWaitingRanges = 2_000

    var accounts: [AccountID: Account] = [:]
    /// Accounts with work that their breaker and quota permit. Those in `ready` are still to be tried. For
    /// those in `starved`, no child had credit. Accounts in neither queue cost nothing.
    var ready = RoundRobin<AccountID>(quantum: 1)
    var starved = RoundRobin<AccountID>(quantum: 1)
    /// Accounts of `ready` and `starved` that may be granted something although no child has a worthwhile
    /// ordinary share.
    var exceptions = RoundRobin<AccountID>(quantum: 1)
    /// Whether `exceptions` must be examined.
    var areExceptionsDue = false
    /// Whether `starved` must be tried again.
    var hasCreditReturned = false
    /// The moment at which small grants are made to those accounts in `starved` that could have been granted
    /// only a little; `nil` if there are none.
    var smallGrants: MonotonicTime?
    /// The moments at which accounts whose work must wait may be granted messages.
    var alarms = Alarms<AccountID>()
    /// Accounts whose only messages that could be granted are suspects.
    var suspectAccounts: Set<AccountID> = []
    /// Accounts that have room for parts that were left out.
    var searchableAccounts: Set<AccountID> = []
    /// The number of ranges that wait for a child.
    package internal(set) var waitingRanges = 0

    var children: [ChildID: ChildCredit] = [:]
    var grants: [GrantID: Grant] = [:]
    var parts: [PartID: OutstandingPart] = [:]
    var partsOf: [DeliveryID: Set<PartID>] = [:]
    /// Deliveries whose messages are not granted.
    var paused: Set<DeliveryID> = []
    var rates = Rates()
    var topics = Topics()
    var shares = HostShares()
    /// The account through which each app's messages currently go.
    var accountOf: [AppID: AccountID] = [:]
    let maxWaitingRanges: Int
    var lastGrant: UInt32 = 0
    /// `retryLostMessages`: whether the messages of a lost child are granted again.
    package var requeuesLost: Bool
    let jitter: @Sendable (Int64) -> Int64

    /// - Parameters:
    ///   - maxWaitingRanges: The maximum number of waiting ranges per account.
    ///   - jitter: Maps a delay in milliseconds to a similar delay.
    package init(
        requeuesLost: Bool = true, maxWaitingRanges: Int = Self.maxWaitingRanges,
        jitter: @escaping @Sendable (Int64) -> Int64
    ) {
        self.requeuesLost = requeuesLost
        self.maxWaitingRanges = max(maxWaitingRanges, 1)
        self.jitter = jitter
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
        handle(CollectionOfOne(event), at: now)
    }

    /// Handles events that became known together. Turns are assigned once for all of these events, because
    /// each assignment examines every account that waits for credit.
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
        case .proved, .failure, .topicRefused, .topicPutOff, .topicProved, .partStopped, .partReleased,
            .pause, .stopped, .resumed, .repaired:
            receive(event, at: now)
        case .tick: creditReturned()
        }
    }

    /// Handles what gateways and operators report about an account or one of its topics.
    private mutating func receive(_ event: Event, at now: MonotonicTime) {
        switch event {
        case .proved(let account): change(account, at: now) { $0.proved() }
        case .failure(let account, let failure, let reason):
            let jitter = jitter
            change(account, at: now) { $0.met(failure, reason: reason, at: now, jitter: jitter) }
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
        case .repaired(let account):
            askAboutTopics(of: account, at: now)
            change(account, at: now) { $0.repaired(at: now) }
        default: break
        }
    }

    /// Changes the breaker of a known account.
    private mutating func change(
        _ account: AccountID, at now: MonotonicTime, _ change: (inout AccountBreaker) -> Void
    ) {
        guard accounts[account] != nil else { return }
        withAccount(account, at: now) { change(&$0.breaker) }
    }
}
