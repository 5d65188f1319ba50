/// A queue of items that all expire after the same duration. The first item is always the next to expire.
/// Adding, removing and reading take constant time.
///
/// Items are small numbers (slots); the queue's memory grows with the largest number. The type is a value
/// without a clock or a timer.
package struct DeadlineQueue: ~Copyable {
    /// The time from adding an item to its expiry, in nanoseconds.
    package let duration: Int64
    /// The deadline of each item, set when the item was last added.
    private var deadlines = Slab<Int64>(capacity: 64)
    private var queue = SlotList()

    package init(duration: Int64) { self.duration = duration }

    /// The time when the first item expires, in nanoseconds; `Int64.max` if the queue is empty.
    package var next: Int64 { queue.first.map { deadlines[$0] } ?? .max }

    /// Adds an item, unless it is already queued. `now` must not be earlier than in a previous call.
    package mutating func add(_ thing: Int, at now: Int64) {
        while deadlines.count <= thing { deadlines.append(0) }
        guard !queue.contains(thing) else { return }
        deadlines[thing] = now &+ duration
        queue.append(thing)
    }

    /// Returns the time since the item was last added, even if the item has been removed since.
    package func age(of thing: Int, at now: Int64) -> Int64 {
        thing < deadlines.count ? now &- (deadlines[thing] &- duration) : 0
    }

    package mutating func remove(_ thing: Int) { queue.remove(thing) }

    /// Removes and returns the first item if its deadline has passed.
    package mutating func takeExpired(at now: Int64) -> Int? {
        guard let first = queue.first, deadlines[first] <= now else { return nil }
        queue.remove(first)
        return first
    }
}
