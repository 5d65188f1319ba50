package import PushModel
internal import Synchronization

/// The limit on requests from each address: the given number per second, and twice that number after a pause.
///
/// **Promises.** Memory is limited, however many addresses send requests. Clients on this machine are not
/// limited, because all clients behind a local proxy that the settings do not declare would share one
/// allowance.
package final class RequestAllowance: Sendable {
    private struct Bucket {
        /// The remaining allowance, expressed in nanoseconds.
        var left: Int64
        var at: Int64
    }

    /// The maximum number of addresses that are remembered because they sent requests within the last few
    /// seconds. If there are more, all addresses are forgotten and start with a new allowance.
    private static let maxAddresses = 100_000
    private static let burstNanoseconds: Int64 = 2_000_000_000

    private let buckets = Mutex<[IPAddress: Bucket]>([:])

    package init() {}

    /// The number of addresses in memory.
    package var count: Int { buckets.withLock(\.count) }

    /// - Parameter perSecond: The maximum number of requests per second; 0 means unlimited.
    /// - Returns: Whether this request may be answered.
    package func take(from client: IPAddress, perSecond: Int, now: Int64) -> Bool {
        guard perSecond > 0, !client.isLoopback else { return true }
        let cost = Self.cost(perSecond)
        let site = client.site
        return buckets.withLock { buckets in
            if buckets.count >= Self.maxAddresses, buckets[site] == nil { Self.forgetRested(&buckets, now) }
            var bucket = buckets[site] ?? Bucket(left: Self.burstNanoseconds, at: now)
            bucket.left = min(bucket.left + max(now - bucket.at, 0), Self.burstNanoseconds)
            bucket.at = now
            defer { buckets[site] = bucket }
            guard bucket.left >= cost else { return false }
            bucket.left -= cost
            return true
        }
    }

    /// Adds one request back to the allowance, because it was not used.
    package func giveBack(to client: IPAddress, perSecond: Int) {
        guard perSecond > 0, !client.isLoopback else { return }
        buckets.withLock { $0[client.site]?.left += Self.cost(perSecond) }
    }

    private static func cost(_ perSecond: Int) -> Int64 { 1_000_000_000 / Int64(perSecond) }

    private static func forgetRested(_ buckets: inout [IPAddress: Bucket], _ now: Int64) {
        buckets = buckets.filter { now - $0.value.at + $0.value.left < burstNanoseconds }
        if buckets.count >= maxAddresses { buckets = [:] }
    }
}
