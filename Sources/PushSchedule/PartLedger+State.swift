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

    package init(grant: GrantID, child: ChildID, account: AccountID, source: Source) {
        self.grant = grant
        self.child = child
        self.account = account
        self.source = source
    }
}

extension PartLedger {
    /// Children that crashed while they had a range. Nobody knows whose fault that was, so a range that has seen several
    /// is a suspect: it goes to a child of its own, halved from grant to grant, until the message that no child survives
    /// is alone.
    struct Losses: Sendable {
        var all = 0
        /// With nothing else in the child.
        var alone = 0
        var isSuspect: Bool { all >= PartLedger.harmlessLosses }
    }

    /// Children that crashed while they had retries of one app. Which message it was nobody knows; so as a suspect an
    /// app gets them back from the first that is due, one at a time, then ever more while all goes well and fewer when
    /// it does not, until the one that no child survives is alone.
    struct RetryLosses: Sendable {
        private(set) var losses = Losses()
        /// Of the next grant, while it is a suspect.
        private(set) var limit = 1

        mutating func crashed(limit granted: Int, asSuspect: Bool, isAlone: Bool) {
            losses.all += 1
            guard asSuspect else { return }
            if granted == 1, isAlone { losses.alone += 1 }
            limit = max(granted / 2, 1)
        }

        /// - Returns: whether nothing is suspected any more: as much went well as one grant has.
        mutating func wentWell(limit granted: Int) -> Bool {
            let isWhole = granted < limit || granted * 2 >= PartLedger.smallestRetryGrant
            losses.alone = 0
            limit = granted * 2
            return isWhole
        }
    }

    struct WaitingRange: Sendable {
        let part: PartID
        var messages: ClosedRange<MessageID>
        var losses = Losses()
        var count: Int { Int(messages.upperBound.rawValue - messages.lowerBound.rawValue) + 1 }
    }

    struct Account: Sendable {
        var gate = AccountGate()
        /// nil: no quota.
        var bucket: TokenBucket?
        /// nil: it shares the child's.
        var ownRoom: Int?
        var grantsOut = 0
        /// The app whose retries were granted last: the next one's turn is next.
        var lastAppWithRetries: AppID?
        var ranges: [WaitingRange] = []
        var appsWithRetries: Set<AppID> = []
        /// One read of an app's retries at a time, so that no row is found twice.
        var appsBeingRead: Set<AppID> = []
        var retryLosses: [AppID: RetryLosses] = [:]

        var isNextSuspect: Bool {
            guard let app = nextAppWithRetries else { return ranges.first?.losses.isSuspect == true }
            return isSuspect(app)
        }

        func isSuspect(_ app: AppID) -> Bool { retryLosses[app]?.losses.isSuspect == true }

        var hasWork: Bool { !ranges.isEmpty || !appsWithRetries.isSubset(of: appsBeingRead) }

        /// Retries come first; where children crashed with them, behind all that is not suspected. Apps take turns, so
        /// that one whose messages are put back again and again does not starve another.
        var nextAppWithRetries: AppID? {
            var free = appsWithRetries.subtracting(appsBeingRead)
            if !retryLosses.isEmpty, !free.isEmpty {
                let sound = free.filter { !isSuspect($0) }
                if sound.isEmpty, ranges.first?.losses.isSuspect == false { return nil }
                if !sound.isEmpty { free = sound }
            }
            let after = lastAppWithRetries.flatMap { last in free.filter { $0 > last }.min() }
            return after ?? free.min()
        }

        /// Below so much credit a child gets nothing of this account: whole grants only, as small ones are dear.
        func leastGrant(inRoom room: Int) -> Int {
            let whole = wholeGrant(inRoom: room)
            if nextAppWithRetries != nil { return min(whole, PartLedger.smallestRetryGrant) }
            return min(whole, ranges.first?.count ?? 1)
        }

        /// An eighth of the room: of the share that is left to an account beside a silent one, still several.
        func wholeGrant(inRoom room: Int) -> Int { min(max((ownRoom ?? room) / 8, 1), PartLedger.largestGrant) }

        /// Messages that the quota allows now, or none where a grant would not be worth its while yet.
        mutating func quotaAllows(_ wanted: Int, at now: MonotonicTime) -> Int {
            guard bucket != nil else { return wanted }
            let available = bucket?.available(at: now) ?? 0
            let isWorthwhile = available >= wanted || bucket.map { $0.nextMoment(at: now) <= now } ?? true
            return isWorthwhile ? min(wanted, available) : 0
        }

        /// Cuts messages off the first range; the range goes when nothing is left of it.
        mutating func takeFirst(_ count: Int) -> ClosedRange<MessageID> {
            let range = ranges[0]
            let first = range.messages.lowerBound
            let last = MessageID(rawValue: first.rawValue + Int64(count) - 1)
            if count >= range.count {
                ranges.removeFirst()
                return range.messages
            }
            ranges[0].messages = MessageID(rawValue: last.rawValue + 1)...range.messages.upperBound
            return first...last
        }
    }

    struct Child: Sendable {
        let room: Int
        private(set) var outstanding = 0
        /// Of the room that accounts share.
        private var sharedOutstanding = 0
        private var outstandingOf: [AccountID: Int] = [:]
        /// Grants of suspects; with one, a child gets nothing else.
        private(set) var suspects = 0
        var isDraining = false
        init(room: Int) { self.room = room }

        /// An account that has ever been granted something has a connection here.
        func knows(_ account: AccountID) -> Bool { outstandingOf[account] != nil }

        /// What the account may be granted more. It never holds more than it leaves free to the others (the dynamic
        /// threshold of shared-memory switches: Choudhury and Hahne, 1998): one account alone has half the room, each
        /// silent one leaves the next at least a quarter of what was free, down to single messages.
        func credit(of id: AccountID, _ account: Account) -> Int {
            let held = outstandingOf[id] ?? 0
            if let ownRoom = account.ownRoom { return ownRoom - held }
            // Rounded up: a room of one must be good for something.
            return (room - sharedOutstanding - held + 1) / 2
        }
        func outstanding(of account: AccountID) -> Int { outstandingOf[account, default: 0] }
        func holdsNothing(of account: AccountID) -> Bool { outstanding(of: account) == 0 }

        mutating func note(_ grant: Grant) { if grant.losses.isSuspect { suspects += 1 } }
        mutating func drop(_ grant: Grant) { if grant.losses.isSuspect { suspects -= 1 } }

        mutating func take(_ count: Int, of grant: Grant) {
            outstanding += count
            outstandingOf[grant.account, default: 0] += count
            if grant.sharesRoom { sharedOutstanding += count }
        }

        mutating func giveBack(_ count: Int, of grant: Grant) { take(-count, of: grant) }
    }

    struct Grant: Sendable {
        /// Of its range.
        var losses: Losses
        let child: ChildID
        let account: AccountID
        let source: ReadOrder.Source
        /// Until the grant is filled: what was reserved for it.
        var unanswered: Int
        let isProbe: Bool
        /// False where the account has room of its own.
        let sharesRoom: Bool
        /// Since when a child has its messages.
        var since: MonotonicTime
        var isFilled = false
        var putBack = 0
        /// No child survives its only message.
        var isHopeless: Bool {
            guard losses.alone >= PartLedger.lossesAlone else { return false }
            switch source {
            case .range(_, let messages): return messages.lowerBound == messages.upperBound
            case .retries(_, let limit): return limit == 1
            }
        }
        init(
            losses: Losses, child: ChildID, account: AccountID, source: ReadOrder.Source, unanswered: Int, isProbe: Bool,
            sharesRoom: Bool, since: MonotonicTime
        ) {
            self.losses = losses
            self.child = child
            self.account = account
            self.source = source
            self.unanswered = unanswered
            self.isProbe = isProbe
            self.sharesRoom = sharesRoom
            self.since = since
        }
    }

    /// A part's ranges that wait and its grants that are out; both zero: dealt with.
    struct PartProgress: Sendable {
        let delivery: DeliveryID
        let app: AppID
        var waiting: Int
        var out: Int
    }
}
