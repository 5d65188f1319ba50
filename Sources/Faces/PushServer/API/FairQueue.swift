internal import NIOCore
package import PushModel

/// Work of one kind that callers wait for: who gets a slot, and whose work is begun next. Pure.
///
/// A slot is held from a request's admission until its answer. Any caller may use all slots while no other
/// caller needs them. When they are all taken, a caller that holds only a few still gets one, and work is
/// begun for one caller after the other, so that no caller can shut another out by asking more often.
package struct FairQueue<Item> {
    private struct Caller {
        var slots = 0
        var waiting = CircularBuffer<(item: Item, since: MonotonicTime)>()
        var isIdle: Bool { slots == 0 && waiting.isEmpty }
    }

    private let limits: QueueLimits
    private var callers: [String: Caller] = [:]
    /// Callers whose work waits, in the order of their turns.
    private var turns = CircularBuffer<String>()
    /// Slots that are taken.
    package private(set) var slots = 0

    package init(_ limits: QueueLimits) { self.limits = limits }

    package var waiting: Int { callers.values.reduce(0) { $0 + $1.waiting.count } }

    /// Takes a slot.
    /// - Returns: false: this caller has to come back later.
    package mutating func enter(_ caller: String) -> Bool {
        // Looked up a second time only if slots are scarce: single messages are many.
        guard slots < limits.slots || (callers[caller]?.slots ?? 0) < limits.slotsForEachCaller else {
            return false
        }
        callers[caller, default: Caller()].slots += 1
        slots += 1
        return true
    }

    /// Gives the slot back.
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

    /// The work to begin now; nil: none waits.
    package mutating func next() -> Item? {
        guard let caller = turns.popFirst(), let first = callers[caller]?.waiting.popFirst() else {
            return nil
        }
        if callers[caller]?.waiting.isEmpty == false { turns.append(caller) }
        forgetIfIdle(caller)
        return first.item
    }

    /// Work that has waited too long, and does not wait any more.
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

/// How much of one kind of work may be under way.
package struct QueueLimits: Sendable {
    /// Slots that all callers share.
    package var slots: Int
    /// Slots that a caller may hold even if all are taken.
    package var slotsForEachCaller: Int
    /// How long work may wait to be begun; nil: as long as it must.
    package var maxWait: Duration?

    package init(slots: Int, slotsForEachCaller: Int, maxWait: Duration? = nil) {
        (self.slots, self.slotsForEachCaller, self.maxWait) = (slots, slotsForEachCaller, maxWait)
    }
}
