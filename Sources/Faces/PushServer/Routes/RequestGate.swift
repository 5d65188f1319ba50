internal import HTTPTypes
internal import PushConfig
internal import PushModel
internal import Synchronization

/// Decides whether a client may send a request, and counts requests, regardless of the component that answers
/// them.
final class RequestGate: Sendable {
    let counts: RequestCounts
    private let rules: WebRules
    private let allowance = RequestAllowance()

    init(counts: RequestCounts, rules: WebRules) {
        self.counts = counts
        self.rules = rules
    }

    /// - Parameter peer: The address of the connection's peer; `nil` if the peer has no IP address.
    func mayAsk(_ peer: IPAddress?, _ headers: HTTPFields, now: Int64) -> Bool {
        guard let (client, perSecond) = limited(peer, headers) else { return true }
        return allowance.take(from: client, perSecond: perSecond, now: now)
    }

    /// Takes back the last permission, because the same request will be checked again.
    func giveBack(_ peer: IPAddress?, _ headers: HTTPFields) {
        guard let (client, perSecond) = limited(peer, headers) else { return }
        allowance.giveBack(to: client, perSecond: perSecond)
    }

    /// Returns the client to count the request for, and the maximum number of requests per second; `nil` if
    /// no limit applies.
    private func limited(_ peer: IPAddress?, _ headers: HTTPFields) -> (IPAddress, Int)? {
        guard let peer else { return nil }
        let rules = rules.now
        guard rules.requestsPerSecondPerAddress > 0 else { return nil }
        var forwarded: [String] = []
        if !rules.trustedProxies.isEmpty, let name = HTTPField.Name.xForwardedFor {
            forwarded = headers[values: name]
        }
        let client = ClientAddress.of(peer: peer, forwarded: forwarded, trusting: rules.trustedProxies)
        return (client, rules.requestsPerSecondPerAddress)
    }
}

/// The rules of a running module, as of the last reload.
final class WebRules: Sendable {
    struct Values {
        var requestsPerSecondPerAddress: Int
        var trustedProxies: [IPNetwork]
        /// The header field in which a trusted proxy states the person.
        var personHeader: String?

        init(_ settings: WebConfiguration) {
            requestsPerSecondPerAddress = settings.maxRequestsPerSecondPerAddress
            trustedProxies = settings.trustedProxies
            personHeader = settings.personHeader
        }
    }

    private let values: Mutex<Values>

    init(_ settings: WebConfiguration) { values = Mutex(Values(settings)) }

    var now: Values { values.withLock(\.self) }
    func become(_ settings: WebConfiguration) { values.withLock { $0 = Values(settings) } }
}

/// The counts of requests since the module started.
final class RequestCounts: Sendable {
    struct Key: Hashable, Comparable {
        var route: String
        var status: Int

        static func < (left: Key, right: Key) -> Bool {
            (left.route, left.status) < (right.route, right.status)
        }
    }
    struct Figures {
        var requests: [Key: UInt64] = [:]
        var times: [String: LatencyCounts] = [:]
    }

    static let others = "other"

    private let figures = Mutex(Figures())

    var now: Figures { figures.withLock(\.self) }

    func note(route: String, status: Int, nanoseconds: Int64) {
        figures.withLock {
            $0.requests[Key(route: route, status: status), default: 0] += 1
            $0.times[route, default: LatencyCounts()].add(nanoseconds: nanoseconds)
        }
    }
}
