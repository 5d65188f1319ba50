internal import CSinkShims
internal import Glibc

/// The sink's counts. What it saw, in numbers that must add up.
///
/// **Law.** `requests` is the sum of all endings plus those that still wait for one.
package final class SinkCounts {
    /// What is counted as it comes. What only one gateway counts is nil in the others.
    package var seen = Summary()
    let countsDistinct: Bool
    /// Accepted requests after which the whole process stops itself (SIGSTOP), until somebody lets it go on
    /// (SIGCONT), with the next one last: what a test does then it does amid a delivery, on any machine.
    private var stops: [Int]
    private let idsKey: WritableKeyPath<Summary, Int?>?
    private var tokens = DistinctCounter()
    private var ids = DistinctCounter()
    private var first: Instant?
    private var last: Instant?
    private var cpuAtFirst: UInt64 = 0

    /// `countsDistinct`: tell how many different tokens and ids were accepted; costs two look-ups a request.
    /// `ids`: where the summary tells of ids. `stops`: numbers of accepted requests at which the process
    /// stops.
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
        guard second < Self.mostSeconds else { return }
        while (seen.requestsBySecond?.count ?? 0) <= second { seen.requestsBySecond?.append(0) }
        seen.requestsBySecond?[second] += 1
    }

    /// A day: it is for runs that somebody waits for.
    private static let mostSeconds = 86_400

    private func begin(_ now: Instant) {
        first = now
        seen.firstRequestAtMs = wallMilliseconds()
        cpuAtFirst = push_sink_cpu_nanoseconds()
    }

    /// `idHash` 0: the request named no id.
    /// `device` nil: not one token, or none that counts; see ``took(_:)``.
    func ended(_ ending: Ending, device: Bytes?, idHash: UInt64, at now: Instant) {
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

    /// A message was accepted, for this token where it is for one.
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

    /// The state of things; `peak`: the most streams at one moment, on one connection and on all.
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

/// How many different things were seen, each known by sixty-four well-mixed bits.
///
/// Two of a million things share their bits with a chance of one in forty million: good enough to count what
/// should be there exactly once.
package struct DistinctCounter {
    /// Open addressing; 0 is an empty place.
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
