package import PushModel

/// How many messages an account may be granted now: its quota, spread evenly, with a ramp after rest.
///
/// The bucket holds at most a quarter of a second of the present rate, less the messages that were granted
/// and are still being read from the store. Grants and pauses are therefore short, and a store that answers
/// late leads to no burst. What several hosts have saved up together stays well below a twentieth of ten
/// seconds.
/// After a rest of ``restSeconds`` the rate starts at a tenth and reaches the quota after the ramp: Google
/// asks senders to reach their full rate over a minute.
package struct TokenBucket: Equatable, Sendable {
    /// Messages a second at full rate.
    package let ratePerSecond: Double
    /// What this process has of it, where several send.
    package var share = 1.0
    private let rampSeconds: Double
    private var tokens = 0.0
    /// Messages that were granted and are being read from the store.
    private var reading = 0
    private var last: MonotonicTime?
    private var lastTaken: MonotonicTime?
    /// When the present ramp began.
    private var rampStart: MonotonicTime?

    /// Without work for so long, an account starts anew.
    package static let restSeconds: Int64 = 60
    private static let firstShare = 0.1
    private static let burstSeconds = 0.25
    /// A grant of less is not worth its while.
    private static let leastSeconds = 0.1

    /// - Parameter perMinute: more than 0; an account without a quota has no bucket.
    package init(messagesPerMinute perMinute: Int, rampUpSeconds: Int) {
        ratePerSecond = Double(perMinute) / 60
        rampSeconds = Double(rampUpSeconds)
    }

    /// Messages that may be granted now.
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

    /// A grant of so many messages has been read, or will not be.
    package mutating func endReading(_ count: Int) { reading = max(reading - count, 0) }

    /// What was granted and not sent costs nothing.
    package mutating func giveBack(_ count: Int) {
        tokens += Double(count)
    }

    /// When there will be enough for a grant worth its while.
    package func nextMoment(at now: MonotonicTime) -> MonotonicTime {
        let rate = self.rate(at: now)
        // The tokens are those of the last refill; what has run in since counts.
        let wanted = max(1, rate * Self.leastSeconds) - tokens - seconds(until: now) * rate
        guard wanted > 0 else { return now }
        return now.advanced(byMilliseconds: Int64((wanted / rate * 1_000).rounded(.up)))
    }

    /// The rate at a moment of the ramp.
    package func rate(at now: MonotonicTime) -> Double {
        guard rampSeconds > 0, let rampStart else { return ratePerSecond * share }
        let ramped = Double(now.milliseconds(since: rampStart)) / 1_000 / rampSeconds
        return ratePerSecond * share * min(max(ramped, Self.firstShare), 1)
    }

    /// Since the last refill.
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
