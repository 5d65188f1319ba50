package import PushModel

/// How many messages of one delivery may be granted now: so many a second, of all its accounts together.
///
/// **Promises.** From its first moment on never more than ``perSecond`` times the seconds that have
/// passed, and one; in any stretch of time no more than a tenth of a second's worth, or two, on top of
/// that, also if the store answers late.
package struct DeliveryRate: Equatable, Sendable {
    package let perSecond: Int
    /// What this process has of it, where several send.
    package var share = 1.0
    private var tokens = 1.0
    /// Messages that were granted and are being read from the store.
    private var reading = 0
    private var last: MonotonicTime

    /// What may be had at once after a while without a grant.
    private static let burstSeconds = 0.1
    /// A grant of less is not worth its while: it costs a look into the store.
    private static let leastSeconds = 0.02

    /// - Parameter perSecond: at least 1.
    package init(perSecond: Int, at now: MonotonicTime) {
        self.perSecond = max(perSecond, 1)
        last = now
    }

    private var rate: Double { Double(perSecond) * share }
    private var worthwhile: Double { max(rate * Self.leastSeconds, 1) }

    /// Messages that may be granted now; 0 also where it is too early for a grant that is worth its while.
    /// - Parameter wanted: so many are enough for one.
    package mutating func available(_ wanted: Int, at now: MonotonicTime) -> Int {
        refill(at: now)
        guard tokens >= min(Double(wanted), worthwhile) else { return 0 }
        return min(wanted, Int(tokens))
    }

    package mutating func take(_ count: Int) {
        tokens -= Double(count)
        reading += count
    }

    /// A grant of so many messages has been read, or will not be.
    package mutating func endReading(_ count: Int) { reading = max(reading - count, 0) }

    /// What was granted and did not begin.
    package mutating func giveBack(_ count: Int) { tokens = min(tokens + Double(count), most) }

    /// When there will be enough for a grant that is worth its while.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime {
        let missing = worthwhile - tokens - seconds(until: now) * rate
        guard missing > 0 else { return now }
        return now.advanced(byMilliseconds: Int64((missing / rate * 1_000).rounded(.up)))
    }

    /// Just short of two, where one is a tenth of a second's worth or more: one at once, and what has run
    /// in since it could have been had is not lost.
    private var most: Double { max(rate * Self.burstSeconds, 1.99) }

    private func seconds(until now: MonotonicTime) -> Double {
        Double(max(now.nanoseconds - last.nanoseconds, 0)) / 1_000_000_000
    }

    private mutating func refill(at now: MonotonicTime) {
        tokens = min(tokens + seconds(until: now) * rate, max(most - Double(reading), 0))
        last = max(last, now)
    }
}
