/// The deadlines of many things that all may take equally long: a queue in which the first is always the next
/// to expire. Adding, removing and asking cost the same whatever the number.
///
/// Things are small numbers (slots); the queue's memory grows with the largest. A value: no clock, no timer.
package struct DeadlineQueue {
    /// Nanoseconds from being added to expiring.
    package let duration: Int64
    private var entries: ContiguousArray<Entry> = []
    private var first = none, last = none

    private struct Entry {
        var deadline: Int64
        var previous: Int32
        var next: Int32
        var isQueued: Bool
    }
    private static let none: Int32 = -1

    package init(duration: Int64) { self.duration = duration }

    /// When the first expires, in nanoseconds; `Int64.max` when the queue is empty.
    package var next: Int64 { first == Self.none ? .max : entries[Int(first)].deadline }

    /// `now` must not be before that of an earlier call. Does nothing when the thing is queued already.
    package mutating func add(_ thing: Int, at now: Int64) {
        while entries.count <= thing {
            entries.append(Entry(deadline: 0, previous: Self.none, next: Self.none, isQueued: false))
        }
        guard !entries[thing].isQueued else { return }
        entries[thing] = Entry(deadline: now &+ duration, previous: last, next: Self.none, isQueued: true)
        if last == Self.none { first = Int32(thing) } else { entries[Int(last)].next = Int32(thing) }
        last = Int32(thing)
    }

    /// How long ago the thing was added; it may have been removed since.
    package func age(of thing: Int, at now: Int64) -> Int64 {
        thing < entries.count ? now &- (entries[thing].deadline &- duration) : 0
    }

    package mutating func remove(_ thing: Int) {
        guard thing < entries.count, entries[thing].isQueued else { return }
        let entry = entries[thing]
        entries[thing].isQueued = false
        if entry.previous == Self.none {
            first = entry.next
        } else {
            entries[Int(entry.previous)].next = entry.next
        }
        if entry.next == Self.none {
            last = entry.previous
        } else {
            entries[Int(entry.next)].previous = entry.previous
        }
    }

    /// Takes the first out when its time has come.
    package mutating func takeExpired(at now: Int64) -> Int? {
        guard next <= now else { return nil }
        let thing = Int(first)
        remove(thing)
        return thing
    }
}
