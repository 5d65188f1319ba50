internal import CSinkShims
internal import Glibc

/// The sink's counts. What it saw, in numbers that must add up.
///
/// **Law.** `requests` is the sum of all endings plus those that still wait for one.
package final class SinkCounts {
    package var requests = 0
    package var accepted = 0
    package var rejectedByReason: [String: Int] = [:]
    package var silent = 0
    package var refused = 0
    package var cut = 0
    package var unprocessed = 0
    package var cancelled = 0

    /// Streams that ended before their request was whole; not requests.
    package var incomplete = 0
    package var protocolErrors = 0
    package var goAways = 0
    package var resets = 0
    package var closes = 0
    /// SETTINGS sent after a connection's first.
    package var settings = 0

    /// Of FCM: messages accepted, those that were only validated, and results of the legacy API that are
    /// errors.
    package private(set) var messages = 0
    package var validatedOnly = 0
    package var resultErrors: [String: Int] = [:]
    package var canonicalIDs = 0
    /// Of OAuth.
    package var tokensIssued = 0
    /// Of the feedback service: whole ones.
    package var tuplesTold = 0

    /// Random faults, by name.
    package private(set) var faults: [String: Int] = [:]

    package private(set) var connections = 0
    package private(set) var connectionsAtOnce = 0
    package private(set) var handshakesFailed: [String: Int] = [:]

    let countsDistinct: Bool
    /// Accepted requests after which the whole process stops itself (SIGSTOP), until somebody lets it go on
    /// (SIGCONT), with the next one last: what a test does then it does amid a delivery, on any machine.
    package var stops: [Int] = [] {
        didSet { stops.sort(by: >) }
    }
    private var tokens = DistinctCounter()
    private var ids = DistinctCounter()
    private(set) var first: Instant?
    private(set) var last: Instant?
    private var firstWall: UInt64 = 0
    private var cpuAtFirst: UInt64 = 0

    /// Requests that arrived, by the second since the first of them; nil: they are not counted so.
    package var bySecond: [Int]?

    /// `countsDistinct`: tell how many different tokens and ids were accepted; costs two look-ups a request.
    package init(countsDistinct: Bool) { self.countsDistinct = countsDistinct }

    @inline(__always)
    package func arrived(at now: Instant) {
        requests += 1
        last = now
        if first == nil { begin(now) }
        if bySecond != nil { noteSecond(at: now) }
    }

    private func noteSecond(at now: Instant) {
        let second = Int(now.since(first ?? now).nanoseconds / 1_000_000_000)
        guard second < Self.mostSeconds else { return }
        while (bySecond?.count ?? 0) <= second { bySecond?.append(0) }
        bySecond?[second] += 1
    }

    /// A day: it is for runs that somebody waits for.
    private static let mostSeconds = 86_400

    private func begin(_ now: Instant) {
        first = now
        firstWall = wallMilliseconds()
        cpuAtFirst = push_sink_cpu_nanoseconds()
    }

    /// `idHash` 0: the request named no id.
    /// `device` nil: not one token, or none that counts; see ``took(_:)``.
    func ended(_ ending: Ending, device: Bytes?, idHash: UInt64, at now: Instant) {
        last = now
        switch ending {
        case .accepted:
            accepted += 1
            if accepted == stops.last { stop() }
            if countsDistinct {
                if let device { tokens.insert(device.hash64) }
                if idHash != 0 { ids.insert(idHash) }
            }
        case .rejected(let rejection): rejectedByReason[rejection.reason, default: 0] += 1
        case .silent: silent += 1
        case .refused: refused += 1
        case .cut: cut += 1
        case .unprocessed: unprocessed += 1
        case .cancelled: cancelled += 1
        }
    }

    private func stop() {
        stops.removeLast()
        raise(SIGSTOP)
    }

    /// A message was accepted, for this token where it is for one.
    func took(_ device: Bytes?) {
        messages += 1
        if countsDistinct, let device { tokens.insert(device.hash64) }
    }

    func connected(open: Int) {
        connections += 1
        connectionsAtOnce = max(connectionsAtOnce, open)
    }

    func struck(_ fault: RandomFault) { faults[fault.rawValue, default: 0] += 1 }

    func handshakeFailed(_ reason: String) { handshakesFailed[reason, default: 0] += 1 }

    /// The state of things; `peak`: the most streams at one moment, on one connection and on all.
    package func summary(peak: (onOne: Int, together: Int)) -> Summary {
        var summary = Summary()
        summary.requests = requests
        summary.accepted = accepted
        summary.distinctTokens = countsDistinct ? tokens.count : nil
        summary.distinctApnsIDs = countsDistinct ? ids.count : nil
        summary.rejected = rejectedByReason.values.reduce(0, +)
        summary.rejectedByReason = rejectedByReason
        summary.silent = silent
        summary.refused = refused
        summary.cut = cut
        summary.unprocessed = unprocessed
        summary.cancelled = cancelled
        summary.waiting =
            requests - accepted - summary.rejected - silent - refused - cut - unprocessed - cancelled
        summary.incomplete = incomplete
        summary.connections = connections
        summary.connectionsAtOnce = connectionsAtOnce
        summary.handshakesFailed = handshakesFailed
        summary.protocolErrors = protocolErrors
        summary.goAways = goAways
        summary.resets = resets
        summary.closes = closes
        summary.settingsSent = settings
        summary.requestsBySecond = bySecond
        summary.faults = faults.isEmpty ? nil : faults
        summary.parallelStreamsPerConnection = peak.onOne
        summary.parallelStreams = peak.together
        guard let first, let last else { return summary }
        let span = last.since(first)
        let cpu = push_sink_cpu_nanoseconds() - cpuAtFirst
        summary.firstRequestAtMs = firstWall
        summary.lastRequestAtMs = firstWall + span.nanoseconds / 1_000_000
        if span > .zero { summary.requestsPerSecond = Double(requests) / span.seconds }
        summary.cpuMicrosecondsPerRequest = Double(cpu) / 1000 / Double(requests)
        return summary
    }
}
