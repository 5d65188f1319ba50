package import PushModel
internal import Synchronization

/// How many requests each address may make: so many a second, and twice as many after a pause.
///
/// **Promises.** Memory is bounded, however many addresses ask. Clients of this machine are not limited: a
/// proxy that nobody declared would share one allowance among all that it speaks for.
package final class RequestAllowance: Sendable {
    private struct Bucket {
        /// In nanoseconds' worth of requests.
        var left: Int64
        var at: Int64
    }

    /// Of addresses that asked within the last seconds; beyond it all are forgotten, and begin anew.
    private static let mostAddresses = 100_000
    private static let burstNanoseconds: Int64 = 2_000_000_000

    private let buckets = Mutex<[IPAddress: Bucket]>([:])

    package init() {}

    /// Addresses that it remembers.
    package var count: Int { buckets.withLock(\.count) }

    /// - Parameter perSecond: 0: as many as come.
    /// - Returns: whether this one may be answered.
    package func take(from client: IPAddress, perSecond: Int, now: Int64) -> Bool {
        guard perSecond > 0, !client.isLoopback else { return true }
        let cost = Self.cost(perSecond)
        let site = client.site
        return buckets.withLock { buckets in
            if buckets.count >= Self.mostAddresses, buckets[site] == nil { Self.forgetRested(&buckets, now) }
            var bucket = buckets[site] ?? Bucket(left: Self.burstNanoseconds, at: now)
            bucket.left = min(bucket.left + max(now - bucket.at, 0), Self.burstNanoseconds)
            bucket.at = now
            defer { buckets[site] = bucket }
            guard bucket.left >= cost else { return false }
            bucket.left -= cost
            return true
        }
    }

    /// One that was taken was not used.
    package func giveBack(to client: IPAddress, perSecond: Int) {
        guard perSecond > 0, !client.isLoopback else { return }
        buckets.withLock { $0[client.site]?.left += Self.cost(perSecond) }
    }

    private static func cost(_ perSecond: Int) -> Int64 { 1_000_000_000 / Int64(perSecond) }

    private static func forgetRested(_ buckets: inout [IPAddress: Bucket], _ now: Int64) {
        buckets = buckets.filter { now - $0.value.at + $0.value.left < burstNanoseconds }
        if buckets.count >= mostAddresses { buckets = [:] }
    }
}
