package import PushModel

/// How many messages an account may be granted now: its quota, spread evenly, with a ramp after a rest.
///
/// The bucket holds at most a quarter of a second's worth of messages at the present rate, less the messages
/// that were granted and are still being read from the store. Grants and pauses are therefore short, and a
/// store that answers late causes no burst. The messages that several hosts have saved up stay, in total,
/// well below a twentieth of the number that the quota allows in ten seconds. After a rest of ``restSeconds``
/// the rate starts at a tenth and reaches the quota after the ramp: Google asks senders to reach their full
/// rate over a minute.
package struct TokenBucket: Equatable, Sendable {
    /// Messages per second at full rate.
    package let ratePerSecond: Double
    /// This process's share of the rate if several processes send.
    package var share = 1.0
    let rampSeconds: Double
    private var tokens = 0.0
    /// The number of messages that were granted and are being read from the store.
    private var reading = 0
    private var last: MonotonicTime?
    private var lastTaken: MonotonicTime?
    /// When the present ramp began; `nil` before the first ramp.
    private var rampStart: MonotonicTime?

    /// The time without work after which an account starts a new ramp.
    package static let restSeconds: Int64 = 60
    static let firstShare = 0.1
    private static let burstSeconds = 0.25
    /// The size, in seconds' worth of messages, below which a grant is not worthwhile.
    private static let minSeconds = 0.1

    /// - Parameter perMinute: The quota, more than 0. An account without a quota has no bucket.
    package init(messagesPerMinute perMinute: Int, rampUpSeconds: Int) {
        ratePerSecond = Double(perMinute) / 60
        rampSeconds = Double(rampUpSeconds)
    }

    /// Returns the number of messages that may be granted now.
    package mutating func available(at now: MonotonicTime) -> Int {
        refill(at: now)
        return Int(tokens)
    }

    package mutating func take(_ count: Int, at now: MonotonicTime) {
        refill(at: now)
        tokens -= Double(count)
        reading += count
        lastTaken = now
    }

    /// Records that a grant of the given number of messages has been read or will not be read.
    package mutating func endReading(_ count: Int) { reading = max(reading - count, 0) }

    /// Credits the quota with messages that were granted and not sent. They cost nothing.
    package mutating func giveBack(_ count: Int) {
        tokens += Double(count)
    }

    /// Returns the moment when there will be enough for a worthwhile grant.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime {
        let rate = self.rate(at: now)
        // The tokens date from the last refill. The amount that has accrued since counts as well.
        let wanted = max(1, rate * Self.minSeconds) - tokens - seconds(until: now) * rate
        guard wanted > 0 else { return now }
        return now.advanced(byMilliseconds: Int64((wanted / rate * 1_000).rounded(.up)))
    }

    /// Returns the rate at the given moment, which may be within the ramp.
    package func rate(at now: MonotonicTime) -> Double {
        guard rampSeconds > 0, let rampStart else { return ratePerSecond * share }
        let ramped = Double(now.milliseconds(since: rampStart)) / 1_000 / rampSeconds
        return ratePerSecond * share * min(max(ramped, Self.firstShare), 1)
    }

    /// Returns the seconds since the last refill.
    private func seconds(until now: MonotonicTime) -> Double {
        Double(now.nanoseconds - (last ?? now).nanoseconds) / 1_000_000_000
    }

    private mutating func refill(at now: MonotonicTime) {
        let isRested = lastTaken.map { now >= $0.advanced(bySeconds: Self.restSeconds) } ?? true
        if isRested, rampStart.map({ now >= $0.advanced(bySeconds: Self.restSeconds) }) ?? true {
            rampStart = now
            tokens = 0
            last = now
        }
        let rate = rate(at: now)
        let elapsed = seconds(until: now)
        last = now
        tokens = min(tokens + elapsed * rate, max(max(rate * Self.burstSeconds, 1) - Double(reading), 0))
    }
}
