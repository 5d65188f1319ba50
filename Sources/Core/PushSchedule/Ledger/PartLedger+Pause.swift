package import PushModel

/// Deliveries that an operator has paused. Their waiting messages are on disk and are found again when the
/// delivery is resumed. The ledger keeps only the parts whose messages are with a child, together with their
/// ranges: the search would skip these parts, because they are known.
extension PartLedger {
    package func isPaused(_ delivery: DeliveryID) -> Bool { paused.contains(delivery) }

    /// Grants no more messages of the delivery. The cost depends on the ranges that wait in the ledger, not
    /// on the size of the delivery.
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

    /// Makes the retained ranges wait again. The delivery's other parts must be found again by a search from
    /// the start.
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

    /// Handles the end of a grant of a paused delivery. If no other grant of the part is out, the part is
    /// forgotten, because the rest of the part is on disk.
    /// - Parameter range: The requeued range of the grant; `nil` if nothing was requeued.
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
