package import PushModel

/// How long a delivery takes to be sent, estimated before it is submitted: from the throughput of earlier
/// deliveries, from the quotas of its accounts and from its own rate.
package struct SendingEstimate: Equatable, Sendable {
    /// The messages of one app.
    package struct Share: Equatable, Sendable {
        package var count: Int
        /// Identifies the account of the app: the apps of an account share its quota.
        package var account: String
        /// The account's quota; `nil` if the account has none.
        package var quota: TokenBucket?
        /// The throughput of the app's earlier deliveries; `nil` if there are none.
        package var perSecond: Double?

        package init(count: Int, account: String, quota: TokenBucket?, perSecond: Double?) {
            (self.count, self.account) = (count, account)
            (self.quota, self.perSecond) = (quota, perSecond)
        }
    }

    package let seconds: Double
    package let basis: EstimateBasis
    /// Whether no throughput is known, so that the delivery may take longer than ``seconds``.
    package let isLeast: Bool

    /// - Parameter ratePerSecond: The delivery's own rate; 0 if it has none.
    /// - Returns: `nil` if nothing is known.
    package init?(of shares: [Share], ratePerSecond: Int) {
        let shares = shares.filter { $0.count > 0 }
        var candidates: [(seconds: Double, basis: EstimateBasis)] = []
        // Each throughput was measured for a whole delivery, so the times of several apps add up.
        let measured = shares.reduce(0.0 as Double?) { sum, share in
            sum.flatMap { sum in share.perSecond.map { sum + Double(share.count) / $0 } }
        }
        if let measured { candidates.append((measured, .throughput)) }
        var ofQuotas: [String: (count: Int, quota: TokenBucket)] = [:]
        for share in shares {
            guard let quota = share.quota else { continue }
            ofQuotas[share.account, default: (0, quota)].count += share.count
        }
        if let longest = ofQuotas.values.map({ $0.quota.secondsFromRest(for: $0.count) }).max() {
            candidates.append((longest, .quota))
        }
        if ratePerSecond > 0 {
            let count = shares.reduce(0) { $0 + $1.count }
            candidates.append((Double(count) / Double(ratePerSecond), .rate))
        }
        guard let longest = candidates.max(by: { $0.seconds < $1.seconds }) else { return nil }
        (seconds, basis, isLeast) = (longest.seconds, longest.basis, measured == nil)
    }

    /// If a delivery has at least this size and took at least ``someSeconds``, its throughput is used to
    /// estimate much larger deliveries. After that time, the constant part of a delivery's duration, such as
    /// connecting, no longer matters.
    private static let someSize = 1_000
    private static let someSeconds = 5.0
    /// The largest ratio of a delivery's size to the size of a smaller delivery that is comparable with it.
    private static let comparable = 4

    /// Returns the minimum size of the earlier deliveries that may be used to estimate the throughput of a
    /// delivery with this number of messages.
    package static func leastSize(for count: Int) -> Int { min(comparableSize(to: count), someSize) }

    private static func comparableSize(to count: Int) -> Int {
        max((count + comparable - 1) / comparable, 1)
    }

    /// The quota has limited a delivery if the delivery took at most this multiple of the time that its quota
    /// requires.
    private static let nearly = 1.25

    /// The throughput is the median of this number of the latest usable deliveries. A single delivery may
    /// have been paused, or may have competed with other deliveries.
    private static let compared = 3

    /// Returns the expected throughput of a delivery, in messages per second.
    ///
    /// A delivery that took about as long as its quota requires shows only that the throughput reaches the
    /// quota. Its time may include a ramp, which does not matter for a larger delivery.
    /// - Parameters:
    ///   - samples: Earlier deliveries, the latest first.
    ///   - quota: The quota of the account; `nil` if the account has none.
    /// - Returns: `nil` if no earlier delivery is large enough.
    package static func throughput(
        for count: Int, from samples: [MeasuredDelivery], quota: TokenBucket? = nil
    ) -> Double? {
        let rates = samples.filter { sample in
            guard sample.messages > 0, sample.seconds > 0 else { return false }
            let isLong = sample.messages >= someSize && sample.seconds >= someSeconds
            return isLong || sample.messages >= comparableSize(to: count)
        }.prefix(compared).map { sample in
            let rate = Double(sample.messages) / sample.seconds
            guard let quota, sample.seconds <= quota.secondsFromRest(for: sample.messages) * Self.nearly
            else { return rate }
            return max(rate, quota.ratePerSecond)
        }.sorted()
        return rates.isEmpty ? nil : rates[rates.count / 2]
    }
}

extension TokenBucket {
    /// Returns the time that the quota requires for this number of messages if the account has rested before,
    /// so that its ramp starts from the beginning.
    package func secondsFromRest(for count: Int) -> Double {
        let full = Double(count) / ratePerSecond
        guard rampSeconds > 0 else { return full }
        // The rate is constant until the ramp has reached the first share. It then rises until the end of the
        // ramp, and is constant after that.
        let first = Self.firstShare * rampSeconds
        let atFirst = Self.firstShare * first
        if full <= atFirst { return full / Self.firstShare }
        let atEnd = atFirst + (rampSeconds - first) * (1 + Self.firstShare) / 2
        if full >= atEnd { return rampSeconds + full - atEnd }
        return (first * first + 2 * rampSeconds * (full - atFirst)).squareRoot()
    }
}
