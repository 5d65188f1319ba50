package import PushModel

/// Deliveries that an operator has paused. What waits of them is on disk and is found again when they go on;
/// here only the parts of which a child has messages are kept, with the ranges that belong to them: those
/// would be passed over by the search, because they are known.
extension PartLedger {
    package func isPaused(_ delivery: DeliveryID) -> Bool { paused.contains(delivery) }

    /// Nothing of it is granted from now on. It costs what waits of it here, however large it is.
    mutating func pause(_ delivery: DeliveryID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard paused.insert(delivery).inserted else { return }
        topics.forget(delivery)
        var touched: Set<AccountID> = []
        for id in partsOf[delivery] ?? [] {
            guard let part = parts[id], part.waiting > 0 else { continue }
            touched.insert(part.account)
            parts[id]?.waiting = 0
            guard part.out == 0 else { continue }
            forget(part: id)
            actions.append(.partDone(id))
        }
        for id in touched where accounts[id] != nil {
            for range in withAccount(id, at: now, { $0.ranges.removeAll(of: delivery) }) {
                parts[range.part]?.withheld.append(range)
            }
            if rests(id) { actions.append(.rests(id)) }
        }
    }

    /// What was kept waits again. The rest is to be searched for from the first part on.
    mutating func resume(_ delivery: DeliveryID, at now: MonotonicTime) {
        guard paused.remove(delivery) != nil else { return }
        for id in (partsOf[delivery] ?? []).sorted() {
            guard let part = parts[id], !part.withheld.isEmpty else { continue }
            parts[id]?.waiting += part.withheld.count
            parts[id]?.withheld = []
            withAccount(part.account, at: now) { account in
                for range in part.withheld { account.ranges.add(range) }
            }
        }
    }

    /// A grant of a paused delivery is over, and no other one of its part is out: what is left of it is on
    /// disk.
    /// - Parameter range: what of the grant was requeued; nil: nothing.
    mutating func withhold(
        _ range: WaitingRange?, of id: PartID, _ progress: OutstandingPart, _ actions: inout [Action]
    ) {
        guard progress.out == 0 else {
            parts[id] = progress
            if let range { parts[id]?.withheld.append(range) }
            return
        }
        forget(part: id)
        actions.append(.partDone(id))
    }
}
