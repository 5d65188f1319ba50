package import PushAPI
package import PushModel

/// How fast deliveries were between the last two looks.
package struct TopRates: Sendable {
    private struct Look {
        var ended: [DeliveryID: Int]
        var at: MonotonicTime
    }

    /// Between two looks that are compared: children report several messages at once.
    private static let leastMilliseconds: Int64 = 200

    private var last: Look?
    /// Messages a second that were tried to their end. A delivery that was not there before has none yet.
    package private(set) var perSecond: [DeliveryID: Double] = [:]

    package init() {}

    package mutating func note(_ status: StatusView, at now: MonotonicTime) {
        let ended = Dictionary(
            status.deliveries.map { ($0.id, $0.counts.sent + $0.counts.failed) },
            uniquingKeysWith: { first, _ in first })
        guard let last else {
            self.last = Look(ended: ended, at: now)
            return
        }
        let milliseconds = now.milliseconds(since: last.at)
        guard milliseconds >= Self.leastMilliseconds else { return }
        self.last = Look(ended: ended, at: now)
        perSecond = [:]
        for (delivery, count) in ended {
            guard let before = last.ended[delivery] else { continue }
            // What is sent again is counted less.
            perSecond[delivery] = Double(max(count - before, 0)) * 1_000 / Double(milliseconds)
        }
    }

    /// What was seen before the master was away says nothing of now.
    package mutating func forget() { self = TopRates() }
}
