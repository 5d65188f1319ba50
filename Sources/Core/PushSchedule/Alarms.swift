package import PushModel

/// A queue of alarms, with at most one moment per member. Reading the earliest moment takes constant time.
/// The time to set a moment is logarithmic in the number of alarms.
package struct Alarms<Member: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let moment: MonotonicTime
        let member: Member
    }
    /// A binary heap ordered by moment. An entry whose moment no longer matches its member's current moment
    /// is void. The first entry is never void.
    private var heap: [Entry] = []
    private var moments: [Member: MonotonicTime] = [:]

    package init() {}

    package var first: MonotonicTime? { heap.first?.moment }
    package var count: Int { moments.count }

    /// - Parameter moment: The moment of the alarm; `nil` removes the alarm.
    package mutating func set(_ member: Member, _ moment: MonotonicTime?) {
        guard moments[member] != moment else { return }
        moments[member] = moment
        if let moment {
            heap.append(Entry(moment: moment, member: member))
            rise(heap.count - 1)
        }
        dropVoid()
        if heap.count > 2 * moments.count + 16 { rebuild() }
    }

    /// - Returns: A member whose moment has passed, after removing its alarm; `nil` if there is none.
    package mutating func takeDue(at now: MonotonicTime) -> Member? {
        guard let entry = heap.first, entry.moment <= now else { return nil }
        moments[entry.member] = nil
        dropVoid()
        return entry.member
    }

    private func isVoid(_ entry: Entry) -> Bool { moments[entry.member] != entry.moment }

    private mutating func dropVoid() {
        while let entry = heap.first, isVoid(entry) {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            sink(0)
        }
    }

    private mutating func rebuild() {
        heap = moments.map { Entry(moment: $0.value, member: $0.key) }.sorted { $0.moment < $1.moment }
    }

    private mutating func rise(_ index: Int) {
        var index = index
        while index > 0, case let parent = (index - 1) / 2, heap[index].moment < heap[parent].moment {
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ index: Int) {
        var index = index
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].moment < heap[least].moment {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
