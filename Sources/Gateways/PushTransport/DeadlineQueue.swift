/// The deadlines of many things that all may take equally long: a queue in which the first is always the next
/// to expire. Adding, removing and asking cost the same whatever the number.
///
/// Things are small numbers (slots); the queue's memory grows with the largest. A value: no clock, no timer.
package struct DeadlineQueue: ~Copyable {
    /// Nanoseconds from being added to expiring.
    package let duration: Int64
    /// By thing, from when it was last added.
    private var deadlines = Slab<Int64>(capacity: 64)
    private var queue = SlotList()

    package init(duration: Int64) { self.duration = duration }

    /// When the first expires, in nanoseconds; `Int64.max` when the queue is empty.
    package var next: Int64 { queue.first.map { deadlines[$0] } ?? .max }

    /// `now` must not be before that of an earlier call. Does nothing when the thing is queued already.
    package mutating func add(_ thing: Int, at now: Int64) {
        while deadlines.count <= thing { deadlines.append(0) }
        guard !queue.contains(thing) else { return }
        deadlines[thing] = now &+ duration
        queue.append(thing)
    }

    /// How long ago the thing was added; it may have been removed since.
    package func age(of thing: Int, at now: Int64) -> Int64 {
        thing < deadlines.count ? now &- (deadlines[thing] &- duration) : 0
    }

    package mutating func remove(_ thing: Int) { queue.remove(thing) }

    /// Takes the first out when its time has come.
    package mutating func takeExpired(at now: Int64) -> Int? {
        guard let first = queue.first, deadlines[first] <= now else { return nil }
        queue.remove(first)
        return first
    }
}
