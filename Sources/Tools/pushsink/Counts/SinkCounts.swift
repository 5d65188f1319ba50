internal import CSinkShims
internal import Glibc

/// The sink's counts, which must add up.
///
/// **Invariant.** `requests` is the sum of all endings plus the requests that have not ended.
package final class SinkCounts {
    /// Counts that are updated continuously. Counts that only one gateway has are `nil` for the other
    /// gateways.
    package var seen = Summary()
    let countsDistinct: Bool
    /// The numbers of accepted requests at which the whole process stops itself (SIGSTOP) until another
    /// process continues it (SIGCONT). The last element is the next number to be reached. The stop allows a
    /// test to act in the middle of a delivery, on any machine.
    private var stops: [Int]
    private let idsKey: WritableKeyPath<Summary, Int?>?
    private var tokens = DistinctCounter()
    private var ids = DistinctCounter()
    private var first: Instant?
    private var last: Instant?
    private var cpuAtFirst: UInt64 = 0

    /// `countsDistinct`: whether to count the distinct tokens and ids that were accepted, which costs two
    /// look-ups per request. `ids`: the member of the summary for the number of ids. `stops`: the numbers of
    /// accepted requests at which the process stops.
    package init(
        countsDistinct: Bool, ids idsKey: WritableKeyPath<Summary, Int?>? = nil, stops: [Int] = []
    ) {
        self.countsDistinct = countsDistinct
        self.idsKey = idsKey
        self.stops = stops.sorted(by: >)
    }

    @inline(__always)
    package func arrived(at now: Instant) {
        seen.requests += 1
        last = now
        if first == nil { begin(now) }
        if seen.requestsBySecond != nil { noteSecond(at: now) }
    }

    private func noteSecond(at now: Instant) {
        let second = Int(now.since(first ?? now).nanoseconds / 1_000_000_000)
        guard second < Self.maxSeconds else { return }
        while (seen.requestsBySecond?.count ?? 0) <= second { seen.requestsBySecond?.append(0) }
        seen.requestsBySecond?[second] += 1
    }

    /// The maximum number of seconds that are counted: one day. The count is intended for short runs.
    private static let maxSeconds = 86_400

    private func begin(_ now: Instant) {
        first = now
        seen.firstRequestAtMs = wallMilliseconds()
        cpuAtFirst = push_sink_cpu_nanoseconds()
    }

    /// Counts the ending of a request. `idHash` is 0 if the request did not name an id. `device` is `nil` if
    /// the request does not have exactly one token, or if no token is to be counted here; see ``took(_:)``.
    func ended(_ ending: RequestOutcome, device: Bytes?, idHash: UInt64, at now: Instant) {
        last = now
        switch ending {
        case .accepted:
            seen.accepted += 1
            if seen.accepted == stops.last { stop() }
            if countsDistinct {
                if let device { tokens.insert(device.hash64) }
                if idHash != 0 { ids.insert(idHash) }
            }
        case .rejected(let rejection): seen.rejectedByReason[rejection.reason, default: 0] += 1
        case .silent: seen.silent += 1
        case .refused: seen.refused += 1
        case .cut: seen.cut += 1
        case .unprocessed: seen.unprocessed += 1
        case .cancelled: seen.cancelled += 1
        }
    }

    private func stop() {
        stops.removeLast()
        raise(SIGSTOP)
    }

    /// Counts an accepted message, and its token if it has one.
    func took(_ device: Bytes?) {
        seen.messages? += 1
        if countsDistinct, let device { tokens.insert(device.hash64) }
    }

    func connected(open: Int) {
        seen.connections += 1
        seen.connectionsAtOnce = max(seen.connectionsAtOnce, open)
    }

    func struck(_ fault: RandomFault) {
        seen.faults = seen.faults ?? [:]
        seen.faults?[fault.rawValue, default: 0] += 1
    }

    func handshakeFailed(_ reason: String) { seen.handshakesFailed[reason, default: 0] += 1 }

    /// Returns the current counts. `peak` is the maximum number of streams at one moment, on one connection
    /// and on all connections.
    package func summary(peak: (onOne: Int, together: Int)) -> Summary {
        var summary = seen
        if countsDistinct {
            summary.distinctTokens = tokens.count
            if let idsKey { summary[keyPath: idsKey] = ids.count }
        }
        summary.rejected = seen.rejectedByReason.values.reduce(0, +)
        summary.waiting =
            seen.requests - seen.accepted - summary.rejected - seen.silent - seen.refused - seen.cut
            - seen.unprocessed - seen.cancelled
        summary.parallelStreamsPerConnection = peak.onOne
        summary.parallelStreams = peak.together
        guard let first, let last, let firstWall = seen.firstRequestAtMs else { return summary }
        let span = last.since(first)
        let cpu = push_sink_cpu_nanoseconds() - cpuAtFirst
        summary.lastRequestAtMs = firstWall + span.nanoseconds / 1_000_000
        if span > .zero { summary.requestsPerSecond = Double(seen.requests) / span.seconds }
        summary.cpuMicrosecondsPerRequest = Double(cpu) / 1000 / Double(seen.requests)
        return summary
    }
}

/// Counts distinct values, each identified by 64 well-mixed bits.
///
/// Among a million values, the probability that two have the same bits is one in forty million. This is
/// sufficient to count values that should occur exactly once.
package struct DistinctCounter {
    /// A hash table with open addressing; 0 is an empty place.
    private var places = [UInt64](repeating: 0, count: 1024)
    package private(set) var count = 0

    package init() {}

    package mutating func insert(_ hash: UInt64) {
        if count * 2 >= places.count { grow() }
        if Self.place(hash | (hash == 0 ? 1 : 0), in: &places) { count += 1 }
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: places.count * 2)
        for hash in places where hash != 0 { _ = Self.place(hash, in: &larger) }
        places = larger
    }

    private static func place(_ hash: UInt64, in places: inout [UInt64]) -> Bool {
        places.withUnsafeMutableBufferPointer { places in
            var index = Int(truncatingIfNeeded: hash >> 7) & (places.count - 1)
            while places[index] != 0 {
                if places[index] == hash { return false }
                index = (index + 1) & (places.count - 1)
            }
            places[index] = hash
            return true
        }
    }
}
