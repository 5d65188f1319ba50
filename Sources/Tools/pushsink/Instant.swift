internal import CSinkShims

/// A moment on the monotonic clock, in nanoseconds.
package struct Instant: Comparable, Hashable, Sendable {
    package var nanoseconds: UInt64
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static var now: Instant { Instant(nanoseconds: push_sink_monotonic_nanoseconds()) }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    package static func + (left: Instant, right: Span) -> Instant {
        Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
    }
    package static func - (left: Instant, right: Span) -> Instant {
        Instant(nanoseconds: left.nanoseconds &- min(left.nanoseconds, right.nanoseconds))
    }
    /// Returns the time since `earlier`; zero if this moment is not later.
    package func since(_ earlier: Instant) -> Span {
        Span(nanoseconds: nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0)
    }

    /// A duration.
    package struct Span: Comparable, Hashable, Sendable {
        package var nanoseconds: UInt64
        package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

        package static let zero = Span(nanoseconds: 0)
        package static func milliseconds(_ count: UInt64) -> Span { Span(nanoseconds: count &* 1_000_000) }
        package static func seconds(_ count: UInt64) -> Span { Span(nanoseconds: count &* 1_000_000_000) }
        package static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
        package static func + (left: Span, right: Span) -> Span {
            Span(nanoseconds: left.nanoseconds &+ right.nanoseconds)
        }

        package var seconds: Double { Double(nanoseconds) / 1e9 }
    }
}

/// Returns the time of the wall clock in milliseconds since 1970. Logs, token ages and the `timestamp` of a
/// 410 use this clock.
package func wallMilliseconds() -> UInt64 { push_sink_wall_nanoseconds() / 1_000_000 }

/// Items that become due after one of a few different delays. There is one first-in-first-out line for each
/// delay, so that the cost of adding and taking does not depend on the number of waiting items.
package struct DelayLines<Item> {
    private struct Line {
        let delay: Instant.Span
        var items: [(due: Instant, item: Item)] = []
        var taken = 0

        var first: Instant? { taken < items.count ? items[taken].due : nil }

        mutating func take() -> Item {
            let item = items[taken].item
            taken += 1
            // Removes the taken items when they are more than half of the list.
            if taken == items.count {
                items.removeAll(keepingCapacity: true)
                taken = 0
            } else if taken > 1024, taken * 2 > items.count {
                items.removeFirst(taken)
                taken = 0
            }
            return item
        }
    }

    private var lines: [Line] = []

    package init() {}

    package mutating func add(_ item: Item, after delay: Instant.Span, at now: Instant) {
        let index = lines.firstIndex { $0.delay == delay } ?? lines.count
        if index == lines.count { lines.append(Line(delay: delay)) }
        // A line stays in order even if the caller's clock is slightly behind its earlier value.
        let due = max(now + delay, lines[index].items.last?.due ?? now)
        lines[index].items.append((due, item))
    }

    /// The time at which the next item is due.
    package var next: Instant? {
        var next: Instant?
        for index in lines.indices {
            if let first = lines[index].first, next.map({ first < $0 }) ?? true { next = first }
        }
        return next
    }

    /// Returns the next item, if it is due.
    package mutating func take(at now: Instant) -> Item? {
        var best: (index: Int, due: Instant)?
        for index in lines.indices {
            guard let due = lines[index].first, due <= now, best == nil || due < best!.due else { continue }
            best = (index, due)
        }
        guard let best else { return nil }
        return lines[best.index].take()
    }
}
