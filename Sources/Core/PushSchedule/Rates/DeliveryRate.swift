package import PushModel

/// How many messages of one delivery may be granted now: a given number per second, for all its accounts
/// together.
///
/// **Promises.** From the start, the number of messages never exceeds ``perSecond`` times the seconds that
/// have passed, plus one. In any later period, the number exceeds ``perSecond`` times the seconds of that
/// period by no more than a tenth of a second's worth of messages, or by two messages, even if the store
/// answers late.
package struct DeliveryRate: Equatable, Sendable {
    package let perSecond: Int
    /// This process's share of the rate if several processes send.
    package var share = 1.0
    private var tokens = 1.0
    /// The number of messages that were granted and are being read from the store.
    private var reading = 0
    private var last: MonotonicTime

    /// How many seconds' worth of messages may be granted together after a while without a grant.
    private static let burstSeconds = 0.1
    /// The size, in seconds' worth of messages, below which a grant is not worthwhile: each grant costs a
    /// query to the store.
    private static let minSeconds = 0.02

    /// - Parameter perSecond: The rate; at least 1.
    package init(perSecond: Int, at now: MonotonicTime) {
        self.perSecond = max(perSecond, 1)
        last = now
    }

    private var rate: Double { Double(perSecond) * share }
    private var worthwhile: Double { max(rate * Self.minSeconds, 1) }

    /// Returns the number of messages that may be granted now. The result is also 0 if it is too early for a
    /// worthwhile grant.
    /// - Parameter wanted: The number of messages that the caller wants. If all of them may be granted, the
    ///   grant is worthwhile, however few they are.
    package mutating func available(_ wanted: Int, at now: MonotonicTime) -> Int {
        refill(at: now)
        guard tokens >= min(Double(wanted), worthwhile) else { return 0 }
        return min(wanted, Int(tokens))
    }

    package mutating func take(_ count: Int) {
        tokens -= Double(count)
        reading += count
    }

    /// Records that a grant of the given number of messages has been read or will not be read.
    package mutating func endReading(_ count: Int) { reading = max(reading - count, 0) }

    /// Credits the rate with messages that were granted and whose sending did not begin.
    package mutating func giveBack(_ count: Int) { tokens = min(tokens + Double(count), most) }

    /// Returns the moment when there will be enough for a worthwhile grant.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime {
        let missing = worthwhile - tokens - seconds(until: now) * rate
        guard missing > 0 else { return now }
        return now.advanced(byMilliseconds: Int64((missing / rate * 1_000).rounded(.up)))
    }

    /// The maximum of ``tokens``: a tenth of a second's worth, but at least almost two messages. One message
    /// may then begin immediately, and the fraction that accrued after it became available is not lost.
    private var most: Double { max(rate * Self.burstSeconds, 1.99) }

    private func seconds(until now: MonotonicTime) -> Double {
        Double(max(now.nanoseconds - last.nanoseconds, 0)) / 1_000_000_000
    }

    private mutating func refill(at now: MonotonicTime) {
        tokens = min(tokens + seconds(until: now) * rate, max(most - Double(reading), 0))
        last = max(last, now)
    }
}
