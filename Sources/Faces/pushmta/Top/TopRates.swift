package import PushAPI
package import PushModel

/// The rates of deliveries between the last two queries.
package struct TopRates: Sendable {
    private struct Sample {
        var ended: [DeliveryID: Int]
        var at: MonotonicTime
    }

    /// The minimum time between two queries that are compared, because children report several messages at a
    /// time.
    private static let minMilliseconds: Int64 = 200

    private var last: Sample?
    /// The number of messages per second that reached their final result, by delivery. A delivery that was
    /// not in the previous status has no rate yet.
    package private(set) var perSecond: [DeliveryID: Double] = [:]

    package init() {}

    package mutating func note(_ status: StatusView, at now: MonotonicTime) {
        let ended = Dictionary(
            status.deliveries.map { ($0.id, $0.counts.sent + $0.counts.failed) },
            uniquingKeysWith: { first, _ in first })
        guard let last else {
            self.last = Sample(ended: ended, at: now)
            return
        }
        let milliseconds = now.milliseconds(since: last.at)
        guard milliseconds >= Self.minMilliseconds else { return }
        self.last = Sample(ended: ended, at: now)
        perSecond = [:]
        for (delivery, count) in ended {
            guard let before = last.ended[delivery] else { continue }
            // The count decreases if messages are sent again.
            perSecond[delivery] = Double(max(count - before, 0)) * 1_000 / Double(milliseconds)
        }
    }

    /// Discards the rates, because queries from before the master was unavailable do not describe the
    /// present.
    package mutating func forget() { self = TopRates() }
}
