internal import NIOCore
package import PushModel

/// A queue for one kind of work that several callers request. It decides which caller gets a slot and whose
/// work starts next. The type is pure.
///
/// A caller holds a slot from the time when a request is admitted until it is answered. Any caller may use
/// all slots while no other caller needs them. When all slots are taken, a caller that holds only a few slots
/// can still get one more. The queue starts the callers' work in turn. A caller therefore cannot lock out
/// other callers by sending more requests.
package struct FairQueue<Item> {
    private struct Caller {
        var slots = 0
        var waiting = CircularBuffer<(item: Item, since: MonotonicTime)>()
        var isIdle: Bool { slots == 0 && waiting.isEmpty }
    }

    private let limits: QueueLimits
    private var callers: [String: Caller] = [:]
    /// The callers that have waiting work, in the order of their turns.
    private var turns = CircularBuffer<String>()
    /// The number of slots that are taken.
    package private(set) var slots = 0

    package init(_ limits: QueueLimits) { self.limits = limits }

    package var waiting: Int { callers.values.reduce(0) { $0 + $1.waiting.count } }

    /// Takes a slot.
    /// - Returns: `false` if this caller must try again later.
    package mutating func enter(_ caller: String) -> Bool {
        // The caller's own slots are looked up only if slots are scarce. This saves time, because requests
        // for single messages are frequent.
        guard slots < limits.slots || (callers[caller]?.slots ?? 0) < limits.slotsForEachCaller else {
            return false
        }
        callers[caller, default: Caller()].slots += 1
        slots += 1
        return true
    }

    /// Returns one of the caller's slots to the queue.
    package mutating func leave(_ caller: String) {
        guard let place = callers.index(forKey: caller), callers.values[place].slots > 0 else { return }
        callers.values[place].slots -= 1
        slots -= 1
        if callers.values[place].isIdle { callers.remove(at: place) }
    }

    package mutating func add(_ item: Item, of caller: String, at now: MonotonicTime) {
        if callers[caller]?.waiting.isEmpty ?? true { turns.append(caller) }
        callers[caller, default: Caller()].waiting.append((item, now))
    }

    /// Removes and returns the work to start next; `nil` if no work waits.
    package mutating func next() -> Item? {
        guard let caller = turns.popFirst(), let first = callers[caller]?.waiting.popFirst() else {
            return nil
        }
        if callers[caller]?.waiting.isEmpty == false { turns.append(caller) }
        forgetIfIdle(caller)
        return first.item
    }

    /// Removes and returns work that has waited too long.
    package mutating func takeExpired(at now: MonotonicTime) -> [Item] {
        guard let maxWait = limits.maxWait else { return [] }
        var expired: [Item] = []
        for caller in Array(turns) {
            while let first = callers[caller]?.waiting.first,
                .milliseconds(now.milliseconds(since: first.since)) >= maxWait
            {
                expired.append(first.item)
                callers[caller]?.waiting.removeFirst()
            }
        }
        turns.removeAll { callers[$0]?.waiting.isEmpty ?? true }
        for caller in Array(callers.keys) { forgetIfIdle(caller) }
        return expired
    }

    private mutating func forgetIfIdle(_ caller: String) {
        if callers[caller]?.isIdle == true { callers[caller] = nil }
    }
}

/// The limits on concurrent work of one kind.
package struct QueueLimits: Sendable {
    /// The number of slots that all callers share.
    package var slots: Int
    /// The number of slots that a caller may hold even if all shared slots are taken.
    package var slotsForEachCaller: Int
    /// The maximum time that work may wait before it starts; `nil` means unlimited.
    package var maxWait: Duration?

    package init(slots: Int, slotsForEachCaller: Int, maxWait: Duration? = nil) {
        (self.slots, self.slotsForEachCaller, self.maxWait) = (slots, slotsForEachCaller, maxWait)
    }
}
