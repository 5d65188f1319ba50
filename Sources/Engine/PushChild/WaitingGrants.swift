package import PushModel
internal import PushSchedule

/// The grants of one account that have messages to submit, as places in the ``GrantTable``. Higher priorities
/// come first; grants with the same priority keep their order of arrival.
package struct WaitingGrants {
    /// The places of the grants, indexed by the rank of their priority.
    private var lanes = [FIFOQueue<Int>](repeating: FIFOQueue(), count: DeliveryPriority.allCases.count)
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ place: Int, _ priority: DeliveryPriority) {
        lanes[priority.rank].append(place)
        count += 1
    }

    /// The place of the next grant.
    package var first: Int? {
        guard count > 0 else { return nil }
        return lanes.last { !$0.isEmpty }?.first
    }

    /// The place of the next grant if that grant's priority is above normal.
    package var firstUrgent: Int? {
        guard count > 0 else { return nil }
        return lanes[(DeliveryPriority.normal.rank + 1)...].last { !$0.isEmpty }?.first
    }

    package mutating func removeFirst() {
        guard let rank = lanes.lastIndex(where: { !$0.isEmpty }) else { return }
        _ = lanes[rank].popFirst()
        count -= 1
    }

    package mutating func removeAll() -> [Int] {
        defer { self = WaitingGrants() }
        return lanes.reversed().flatMap { $0.all }
    }

    package mutating func removeAll(where isOut: (Int) -> Bool) -> [Int] {
        var removed: [Int] = []
        for rank in lanes.indices where !lanes[rank].isEmpty {
            lanes[rank].removeAll { place in
                guard isOut(place) else { return false }
                removed.append(place)
                return true
            }
        }
        count -= removed.count
        return removed
    }
}
