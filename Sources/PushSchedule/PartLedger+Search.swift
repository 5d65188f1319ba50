package import PushModel

/// What the search for parts brings. The store keeps the backlog; here an account has so many ranges at most, and what
/// is found beyond is left out, app by app: from the first part of an app that was left out, none of it is taken until
/// a search from there has brought it. So none is lost, and none found twice.
extension PartLedger {
    /// An app whose parts are to be found again from `first` on: its account has room for many.
    package struct PartsLeftOut: Equatable, Sendable {
        package let app: AppID
        package let first: PartID

        package init(app: AppID, first: PartID) {
            self.app = app
            self.first = first
        }
    }

    /// - Parameters:
    ///   - last: how far the search for everybody's parts has come; what lies beyond it is found by that one.
    ///   - previous: the app that was asked for before: the next one's turn is next.
    package func partsLeftOut(upTo last: PartID, after previous: AppID?) -> PartsLeftOut? {
        guard !leftOut.isEmpty else { return nil }
        let apps = leftOut.filter { $0.value <= last && hasRoomForMany($0.key) }.keys
        let next = previous.flatMap { previous in apps.filter { $0 > previous }.min() } ?? apps.min()
        return next.flatMap { app in leftOut[app].map { PartsLeftOut(app: app, first: $0) } }
    }

    /// A search for a few is not worth its while.
    private func hasRoomForMany(_ app: AppID) -> Bool {
        let waiting = accountOf[app].flatMap { accounts[$0]?.ranges.count } ?? 0
        return waiting <= mostWaitingRanges / 2
    }

    mutating func add(_ part: Part, of account: AccountID, _ actions: inout [Action]) {
        guard parts[part.id] == nil else { return }
        accountOf[part.app] = account
        guard leftOut[part.app] == nil, accounts[account]?.ranges.count ?? 0 < mostWaitingRanges else {
            leftOut[part.app] = min(leftOut[part.app] ?? part.id, part.id)
            return actions.append(.leftOut(part.id))
        }
        parts[part.id] = PartProgress(delivery: part.delivery, app: part.app, waiting: 1, out: 0)
        withAccount(account) { $0.ranges.append(WaitingRange(part: part.id, messages: part.messages)) }
    }

    mutating func addLeftOut(
        _ found: [(part: Part, account: AccountID)], of app: AppID, next: PartID?, _ actions: inout [Action]
    ) {
        leftOut[app] = nil
        for item in found { add(item.part, of: item.account, &actions) }
        if leftOut[app] == nil { leftOut[app] = next }
    }

    /// What waits of a delivery that has ended would be read and found empty, and until then keep others waiting.
    mutating func drop(_ delivery: DeliveryID, _ actions: inout [Action]) {
        for (part, progress) in parts where progress.delivery == delivery && progress.waiting > 0 {
            parts[part]?.waiting = 0
            guard progress.out == 0 else { continue }
            parts[part] = nil
            actions.append(.partDone(part))
        }
        for (id, account) in accounts where !account.ranges.isEmpty {
            let remaining = account.ranges.filter { parts[$0.part].map { $0.delivery != delivery } ?? false }
            guard remaining.count < account.ranges.count else { continue }
            accounts[id]?.ranges = remaining
            if rests(id) { actions.append(.rests(id)) }
        }
    }

    /// Retries of it may be noted though their delivery has ended: an account that is closed looks for none.
    mutating func forget(_ app: AppID, _ actions: inout [Action]) {
        leftOut[app] = nil
        guard let account = accountOf.removeValue(forKey: app) else { return }
        accounts[account]?.appsWithRetries.remove(app)
        accounts[account]?.retryLosses[app] = nil
        if rests(account) { actions.append(.rests(account)) }
    }
}
