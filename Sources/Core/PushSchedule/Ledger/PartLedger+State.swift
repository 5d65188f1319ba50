package import PushModel

/// The messages that the master's reader fetches for a child.
package struct ReadOrder: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// The messages of the range that are still pending.
        case range(PartID, ClosedRange<MessageID>)
        /// Messages of the app that were tried before and are due, except those that are already granted.
        case retries(AppID, limit: Int)
    }
    package let grant: GrantID
    package let child: ChildID
    package let account: AccountID
    package let source: Source
    /// When the messages were committed, or when this process first knew of them; `nil` if they were tried
    /// before.
    package let since: MonotonicTime?
    /// For each delivery with a rate, how many of its messages the order may have. If a delivery has a rate
    /// but is not listed here, none of its messages may be read: the rate was unknown and must be reported
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

/// A part in the store that is not known to be completed.
package struct FoundPart: Sendable {
    package var part: Part
    /// The account through which the app's messages are sent.
    package var account: AccountID
    /// The delivery's priority.
    package var priority: DeliveryPriority
    /// When the part was committed; `nil` if this is not known.
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
        /// The bucket of the account's quota; `nil` if there is no quota.
        var bucket: TokenBucket?
        /// The account's own capacity; `nil` if the account shares the child's capacity.
        var ownCapacity: Int?
        var grantsOut = 0
        var ranges = WaitingRanges()
        /// The number of ``ranges`` that the ledger's total includes.
        var countedRanges = 0
        /// For each kind of parts, the first part for which the account had no room.
        var leftOut: [LeftOut: PartID] = [:]
        /// The same as `leftOut`, for parts that wait for a topic. These parts are searched for when a topic
        /// of the account is released.
        var heldOut: [LeftOut: PartID] = [:]
        /// The app whose retries were granted last. The app after it is next.
        var lastAppWithRetries: AppID?
        var appsWithRetries: Set<AppID> = []
        /// Apps whose retries are being read. Only one read per app runs at a time, so that no row is found
        /// twice.
        var appsBeingRead: Set<AppID> = []
        /// Apps whose due retries all belong to deliveries that have used up their rate for now, with the
        /// delivery for which each app waits.
        var limitedApps: [AppID: DeliveryID] = [:]
        var suspectedRetries = SuspectedRetries()

        var hasWork: Bool { !ranges.isEmpty || !appsWithRetries.isSubset(of: appsBeingRead) }

        /// What a grant contains.
        enum Next {
            case range(WaitingRange)
            case retries(AppID)
        }

        /// What the next grant contains. Urgent messages come first, then retries. Retries that children had
        /// when they crashed come after everything that is not a suspect.
        var next: Next? {
            let range = ranges.next
            if let range, range.priority.isUrgent, !range.losses.isSuspect { return .range(range) }
            if let app = nextAppWithRetries(besides: range) { return .retries(app) }
            return range.map { .range($0) }
        }

        /// Returns the app whose retries are granted next. Apps take turns, so that an app whose messages are
        /// requeued again and again does not starve another.
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

        /// Reports whether a grant of this content may be due although no child has a worthwhile ordinary
        /// share.
        func isException(_ next: Next, _ allowance: AccountBreaker.Allowance) -> Bool {
            guard let range = next.sharing(ownCapacity: ownCapacity, allowance) else { return true }
            return range.priority.isUrgent || range.count <= WaitingRanges.messagesInATurn
        }

        func isSuspect(_ next: Next) -> Bool {
            switch next {
            case .range(let range): range.losses.isSuspect
            case .retries(let app): suspectedRetries.isSuspect(app)
            }
        }

        /// Returns the request that the account makes in its turn; `nil` if nothing can be granted to it now.
        ///
        /// The function is mutating only so that the account is not copied: a copy would retain all of its
        /// queues.
        mutating func turn(at now: MonotonicTime) -> TurnRequest? {
            guard let next else { return nil }
            var retryLimit: Int?
            if case .retries(let app) = next { retryLimit = suspectedRetries.limit(of: app) }
            return TurnRequest(
                next: next, allowance: breaker.allowance(at: now), isSuspect: isSuspect(next),
                ownCapacity: ownCapacity, ratePerSecond: bucket?.rate(at: now), retryLimit: retryLimit)
        }

        /// Returns the number of messages that the quota allows now, or 0 if a grant is not worthwhile yet.
        mutating func quotaAllows(_ wanted: Int, at now: MonotonicTime) -> Int {
            guard bucket != nil else { return wanted }
            let available = bucket?.available(at: now) ?? 0
            let isWorthwhile = available >= wanted || bucket.map { $0.nextMoment(at: now) <= now } ?? true
            return isWorthwhile ? min(wanted, available) : 0
        }
    }

    struct Grant: Sendable {
        /// The crashes in which the grant's messages were involved.
        var losses: Losses
        let child: ChildID
        let share: ChildCredit.Share
        let source: ReadOrder.Source
        let priority: DeliveryPriority
        /// The number of messages without an outcome. Until the grant is filled, the number of messages
        /// reserved for it.
        var unanswered: Int
        let isProbe: Bool
        /// The moment since which a child has had the grant's messages.
        var since: MonotonicTime
        var isFilled = false
        var requeued = 0
        /// The refused topic that the grant's message waited for before it was granted.
        var asksAbout: TopicKey?
        /// The refused topic that the grant's message probes.
        var topicProbe: TopicKey?
        /// The refused topic that the grant's messages must wait for, which is why they are given back.
        var heldTopic: String?
        /// For each delivery with a rate: until the grant is filled, the number of the delivery's messages
        /// that the grant may have; afterwards, the number that it has.
        var allowances: [DeliveryID: Int] = [:]
        var account: AccountID { share.account }

        /// Whether the grant's only message is given up, because several children crashed when they had
        /// nothing but this message.
        var isGivenUp: Bool { Self.isGivenUp(losses, source) }

        static func isGivenUp(_ losses: Losses, _ source: ReadOrder.Source) -> Bool {
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

    /// A part, with the number of its waiting ranges and the number of its open grants. If both are 0, the
    /// part is completed.
    struct OutstandingPart: Sendable {
        let delivery: DeliveryID
        let app: AppID
        let priority: DeliveryPriority
        /// When the part was committed or, if that is unknown, found.
        let since: MonotonicTime
        /// The account in which the part's ranges wait.
        var account: AccountID
        var waiting: Int
        var out: Int
        /// The ranges that would be waiting if the delivery were not paused.
        var withheld: [WaitingRange] = []
    }
}
