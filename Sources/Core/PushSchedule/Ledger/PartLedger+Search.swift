package import PushModel

/// The results of the search for parts. The store keeps the backlog. The ledger keeps a limited number of
/// ranges per account, and leaves out further parts, app by app. Once it has left out a part of an app, it
/// accepts no parts of the app until a search that starts at that part has returned them. So no part is lost
/// and none is found twice. Parts above normal priority have their own capacity and are left out separately.
extension PartLedger {
    /// The kind of parts that were left out.
    struct LeftOut: Hashable, Sendable {
        let app: AppID
        let isUrgent: Bool
    }

    /// An app whose parts are to be found again from `first` on, because its account has room for many parts.
    package struct PartsLeftOut: Equatable, Sendable {
        package let app: AppID
        package let first: PartID
        /// Whether the parts to be found are those above normal priority. If not, they are all other parts.
        package let isUrgent: Bool

        package init(app: AppID, first: PartID, isUrgent: Bool = false) {
            self.app = app
            self.first = first
            self.isUrgent = isUrgent
        }
    }

    /// - Parameters:
    ///   - last: The last part that the search across all accounts has reached. That search will find the
    ///     parts after it.
    ///   - previous: The app of the previous request. The app after it is next.
    package func partsLeftOut(upTo last: PartID, after previous: AppID?) -> PartsLeftOut? {
        var best: PartsLeftOut?
        func comesBefore(_ one: PartsLeftOut, _ other: PartsLeftOut) -> Bool {
            if one.isUrgent != other.isUrgent { return one.isUrgent }
            // Apps up to and including the previous one have had their turn.
            let (hadOne, hadOther) = (previous.map { one.app <= $0 }, previous.map { other.app <= $0 })
            if hadOne != hadOther { return hadOther == true }
            return one.app < other.app
        }
        for account in searchableAccounts {
            guard let account = accounts[account] else { continue }
            for (kind, first) in account.leftOut
            where first <= last && account.hasRoomForMany(kind, maxWaiting: maxWaitingRanges) {
                let found = PartsLeftOut(app: kind.app, first: first, isUrgent: kind.isUrgent)
                if best.map({ comesBefore(found, $0) }) ?? true { best = found }
            }
        }
        return best
    }

    mutating func add(_ found: FoundPart, at now: MonotonicTime, _ actions: inout [Action]) {
        let part = found.part
        guard parts[part.id] == nil else { return }
        // The part was found before its delivery was paused.
        guard !paused.contains(part.delivery) else { return actions.append(.leftOut(part.id)) }
        note(part.app, goesThrough: found.account, at: now)
        let kind = LeftOut(app: part.app, isUrgent: found.priority.isUrgent)
        let most = maxWaitingRanges
        let isTaken = withAccount(found.account, at: now) { account in
            guard account.leftOut[kind] == nil, account.waiting(kind) < most else {
                account.leftOut[kind] = min(account.leftOut[kind] ?? part.id, part.id)
                return false
            }
            account.ranges.add(
                WaitingRange(
                    part: part.id, delivery: part.delivery, app: part.app, priority: found.priority,
                    messages: part.messages))
            return true
        }
        guard isTaken else { return actions.append(.leftOut(part.id)) }
        parts[part.id] = OutstandingPart(
            delivery: part.delivery, app: part.app, priority: found.priority,
            since: found.committed ?? now, account: found.account, waiting: 1, out: 0)
        partsOf[part.delivery, default: []].insert(part.id)
    }

    mutating func addLeftOut(
        _ found: [FoundPart], of search: PartsLeftOut, next: PartID?, at now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        let kind = LeftOut(app: search.app, isUrgent: search.isUrgent)
        if let account = found.first?.account { note(search.app, goesThrough: account, at: now) }
        let account = accountOf[search.app]
        if let account, accounts[account] != nil { withAccount(account, at: now) { $0.leftOut[kind] = nil } }
        for item in found {
            if item.priority.isUrgent == search.isUrgent {
                add(item, at: now, &actions)
            } else if parts[item.part.id] == nil {
                actions.append(.leftOut(item.part.id))
            }
        }
        guard let next, let account, accounts[account] != nil else { return }
        withAccount(account, at: now) { if $0.leftOut[kind] == nil { $0.leftOut[kind] = next } }
    }

    /// Drops the waiting ranges of a delivery that has ended. Otherwise they would keep other ranges waiting
    /// until they were read and turned out to be empty.
    mutating func drop(_ delivery: DeliveryID, at now: MonotonicTime, _ actions: inout [Action]) {
        var touched: Set<AccountID> = []
        paused.remove(delivery)
        topics.forget(delivery)
        endRate(of: delivery, at: now)
        for id in partsOf[delivery] ?? [] {
            parts[id]?.withheld = []
            guard let part = parts[id], part.waiting > 0 else { continue }
            touched.insert(part.account)
            parts[id]?.waiting = 0
            guard part.out == 0 else { continue }
            forget(part: id)
            actions.append(.partDone(id))
        }
        for id in touched where accounts[id] != nil {
            withAccount(id, at: now) { $0.ranges.removeAll(of: delivery) }
            if rests(id) { actions.append(.rests(id)) }
        }
    }

    /// Removes the part's waiting ranges, which were not granted yet.
    mutating func dropRest(of id: PartID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard let part = parts[id], part.waiting > 0 else { return }
        parts[id]?.waiting = 0
        withAccount(part.account, at: now) { $0.ranges.removeAll(of: id, in: part.delivery) }
        if rests(part.account) { actions.append(.rests(part.account)) }
        guard part.out == 0 else { return }
        forget(part: id)
        actions.append(.partDone(id))
    }

    mutating func forget(part id: PartID) {
        guard let part = parts.removeValue(forKey: id) else { return }
        partsOf[part.delivery]?.remove(id)
        if partsOf[part.delivery]?.isEmpty == true { partsOf[part.delivery] = nil }
    }
}

extension PartLedger.Account {
    mutating func removeLeftOut(of app: AppID) -> [PartLedger.LeftOut: PartID] {
        var removed = leftOut.filter { $0.key.app == app }
        for kind in removed.keys { leftOut[kind] = nil }
        let held = heldOut.filter { $0.key.app == app }
        for kind in held.keys { heldOut[kind] = nil }
        removed.merge(held, uniquingKeysWith: min)
        return removed
    }

    mutating func add(_ others: [PartLedger.LeftOut: PartID]) { leftOut.merge(others, uniquingKeysWith: min) }

    /// Returns the number of waiting ranges of one kind.
    func waiting(_ kind: PartLedger.LeftOut) -> Int {
        kind.isUrgent ? ranges.urgentCount : ranges.count - ranges.heldCount - ranges.urgentCount
    }

    /// Reports whether there is room for many parts. A search for a few is not worthwhile.
    func hasRoomForMany(_ kind: PartLedger.LeftOut, maxWaiting: Int) -> Bool {
        waiting(kind) <= maxWaiting / 2
    }
}
