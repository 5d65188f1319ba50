package import PushModel

/// What the master's reader is to fetch for a child.
package struct ReadOrder: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// Those messages of the range that are still pending.
        case range(PartID, ClosedRange<MessageID>)
        /// Messages of the app that were tried before and are due, except those that are held already.
        case retries(AppID, limit: Int)
    }
    package let grant: GrantID
    package let child: ChildID
    package let account: AccountID
    package let source: Source
    /// When its messages were committed, or this process first knew of them; nil: they were tried before.
    package let since: MonotonicTime?
    /// How many messages it may have of deliveries with a rate. Of one that is not named and has a rate,
    /// nothing is to be read: the rate was not known, and is to be told
    /// (``PartLedger/Event/limited(_:perSecond:)``).
    package let allowances: [DeliveryID: Int]

    package init(
        grant: GrantID, child: ChildID, account: AccountID, source: Source, since: MonotonicTime? = nil,
        allowances: [DeliveryID: Int] = [:]
    ) {
        self.allowances = allowances
        self.grant = grant
        self.child = child
        self.account = account
        self.source = source
        self.since = since
    }
}

/// A part of the store that is not known to be dealt with.
package struct FoundPart: Sendable {
    package var part: Part
    /// Through which its app's messages go.
    package var account: AccountID
    /// Its delivery's.
    package var priority: DeliveryPriority
    /// When it was committed; nil: before anybody here looked.
    package var committed: MonotonicTime?

    package init(
        part: Part, account: AccountID, priority: DeliveryPriority, committed: MonotonicTime? = nil
    ) {
        self.part = part
        self.account = account
        self.priority = priority
        self.committed = committed
    }
}

extension PartLedger {
    struct Account: Sendable {
        var breaker = AccountBreaker()
        /// nil: no quota.
        var bucket: TokenBucket?
        /// nil: it shares the child's.
        var ownCapacity: Int?
        var grantsOut = 0
        var ranges = WaitingRanges()
        /// Of ``ranges``, as the ledger's sum has it.
        var countedRanges = 0
        /// Parts that it had no room for: the first of each kind.
        var leftOut: [LeftOut: PartID] = [:]
        /// The same of parts that wait for a topic: they are searched for when a topic of the account is let go.
        var heldOut: [LeftOut: PartID] = [:]
        /// The app whose retries were granted last: the next one's turn is next.
        var lastAppWithRetries: AppID?
        var appsWithRetries: Set<AppID> = []
        /// One read of an app's retries at a time, so that no row is found twice.
        var appsBeingRead: Set<AppID> = []
        /// Of which nothing is due but what has had its share for now, by the delivery that is waited for.
        var limitedApps: [AppID: DeliveryID] = [:]
        var suspectedRetries = SuspectedRetries()

        var hasWork: Bool { !ranges.isEmpty || !appsWithRetries.isSubset(of: appsBeingRead) }

        /// What a grant would be of now.
        enum Next {
            case range(WaitingRange)
            case retries(AppID)
        }

        /// What is urgent comes first, then retries; where children crashed with them, behind all that is not
        /// suspected.
        var next: Next? {
            let range = ranges.next
            if let range, range.priority.isUrgent, !range.losses.isSuspect { return .range(range) }
            if let app = nextAppWithRetries(besides: range) { return .retries(app) }
            return range.map { .range($0) }
        }

        /// Apps take turns, so that one whose messages are requeued again and again does not starve another.
        private func nextAppWithRetries(besides range: WaitingRange?) -> AppID? {
            guard !appsWithRetries.isEmpty else { return nil }
            var free = appsWithRetries.subtracting(appsBeingRead)
            if !limitedApps.isEmpty { free = free.filter { limitedApps[$0] == nil } }
            if !suspectedRetries.isEmpty, !free.isEmpty {
                let sound = free.filter { !suspectedRetries.isSuspect($0) }
                if sound.isEmpty, range?.losses.isSuspect == false { return nil }
                if !sound.isEmpty { free = sound }
            }
            let after = lastAppWithRetries.flatMap { last in free.filter { $0 > last }.min() }
            return after ?? free.min()
        }

        /// Whether a grant of it may be due where no child has a worthwhile ordinary share.
        func isException(_ next: Next, _ allowance: AccountBreaker.Allowance) -> Bool {
            guard case .range(let range) = next, ownCapacity == nil, allowance != .one else { return true }
            return range.priority.isUrgent || range.losses.isSuspect
                || range.count <= WaitingRanges.messagesInATurn
        }

        func isSuspect(_ next: Next) -> Bool {
            switch next {
            case .range(let range): range.losses.isSuspect
            case .retries(let app): suspectedRetries.isSuspect(app)
            }
        }

        /// What the account asks for; nil: nothing waits.
        ///
        /// It is mutating only so that the account is not copied, which counts the references of all its
        /// queues.
        mutating func turn(at now: MonotonicTime) -> Turn? {
            guard let next else { return nil }
            var retryLimit: Int?
            if case .retries(let app) = next { retryLimit = suspectedRetries.limit(of: app) }
            return Turn(
                next: next, allowance: breaker.allowance(at: now), isSuspect: isSuspect(next),
                ownCapacity: ownCapacity, ratePerSecond: bucket?.rate(at: now), retryLimit: retryLimit)
        }

        /// Messages that the quota allows now, or none where a grant would not be worth its while yet.
        mutating func quotaAllows(_ wanted: Int, at now: MonotonicTime) -> Int {
            guard bucket != nil else { return wanted }
            let available = bucket?.available(at: now) ?? 0
            let isWorthwhile = available >= wanted || bucket.map { $0.nextMoment(at: now) <= now } ?? true
            return isWorthwhile ? min(wanted, available) : 0
        }
    }

    struct Grant: Sendable {
        /// Of its messages.
        var losses: Losses
        let child: ChildID
        let share: ChildCredit.Share
        let source: ReadOrder.Source
        let priority: DeliveryPriority
        /// Until the grant is filled: what was reserved for it.
        var unanswered: Int
        let isProbe: Bool
        /// Since when a child has its messages.
        var since: MonotonicTime
        var isFilled = false
        var requeued = 0
        /// The refused topic that its message waited for.
        var asksAbout: TopicKey?
        /// The refused topic that its message asks about.
        var topicProbe: TopicKey?
        /// The refused topic that its messages wait for, because they are given back.
        var heldTopic: String?
        /// Of deliveries with a rate: until it is filled what it may have, then what it has.
        var allowances: [DeliveryID: Int] = [:]
        var account: AccountID { share.account }

        /// No child survives its only message.
        var isHopeless: Bool { Self.isHopeless(losses, source) }

        static func isHopeless(_ losses: Losses, _ source: ReadOrder.Source) -> Bool {
            guard losses.alone >= Losses.mostAlone else { return false }
            switch source {
            case .range(_, let messages): return messages.lowerBound == messages.upperBound
            case .retries(_, let limit): return limit == 1
            }
        }

        init(
            losses: Losses, child: ChildID, share: ChildCredit.Share, source: ReadOrder.Source,
            priority: DeliveryPriority, unanswered: Int, isProbe: Bool, since: MonotonicTime
        ) {
            self.losses = losses
            self.child = child
            self.share = share
            self.source = source
            self.priority = priority
            self.unanswered = unanswered
            self.isProbe = isProbe
            self.since = since
        }
    }

    /// A part's ranges that wait and its grants that are out; both zero: dealt with.
    struct OutstandingPart: Sendable {
        let delivery: DeliveryID
        let app: AppID
        let priority: DeliveryPriority
        /// When it was committed, or else found.
        let since: MonotonicTime
        /// Where its ranges wait.
        var account: AccountID
        var waiting: Int
        var out: Int
        /// While its delivery is paused: ranges that would wait otherwise.
        var withheld: [WaitingRange] = []
    }
}
