/// What the sink counted: its summary file, as far as it is looked at here.
package struct GatewaySummary: Decodable, Equatable, Sendable {
    package var requests = 0
    package var accepted = 0
    /// Absent where the sink did not count them.
    package var distinctTokens: Int?
    package var distinctApnsIDs: Int?
    package var rejected = 0
    package var rejectedByReason: [String: Int] = [:]
    package var refused = 0
    package var cut = 0
    package var unprocessed = 0
    package var cancelled = 0
    package var connections = 0
    package var protocolErrors = 0
    package var goAways = 0
    package var resets = 0
    /// The most requests that waited for their answers at one moment.
    package var parallelStreams = 0
    package var parallelStreamsPerConnection = 0
    /// By the second since the first, where the sink was asked for it; of one sink alone.
    package var requestsBySecond: [Int]?
    /// Messages of FCM, and access tokens given out for it.
    package var messages: Int?
    package var tokensIssued: Int?
    /// Tuples of the feedback service.
    package var tuplesTold: Int?
    /// Random faults, by name.
    package var faults: [String: Int]?
    package var silent = 0
    package var closes = 0
    package var handshakesFailed: [String: Int] = [:]
    /// The sink's other gateways: `fcm`, `oauth`, `binary`, `feedback`.
    package var gateways: [String: GatewaySummary]?

    package var fcm: GatewaySummary { gateways?["fcm"] ?? GatewaySummary() }
    package var oauth: GatewaySummary { gateways?["oauth"] ?? GatewaySummary() }

    package var binary: GatewaySummary { gateways?["binary"] ?? GatewaySummary() }
    package var feedback: GatewaySummary { gateways?["feedback"] ?? GatewaySummary() }

    package init() {}

    /// Distinct things cannot be added up: they are kept of a single sink.
    package static func += (sum: inout GatewaySummary, other: GatewaySummary) {
        let isFirst = sum == GatewaySummary()
        sum.distinctTokens = isFirst ? other.distinctTokens : nil
        sum.distinctApnsIDs = isFirst ? other.distinctApnsIDs : nil
        sum.requestsBySecond = isFirst ? other.requestsBySecond : nil
        sum.requests += other.requests
        sum.accepted += other.accepted
        sum.rejected += other.rejected
        sum.rejectedByReason.merge(other.rejectedByReason, uniquingKeysWith: +)
        sum.refused += other.refused
        sum.cut += other.cut
        sum.unprocessed += other.unprocessed
        sum.cancelled += other.cancelled
        sum.connections += other.connections
        sum.protocolErrors += other.protocolErrors
        sum.goAways += other.goAways
        sum.resets += other.resets
        sum.silent += other.silent
        sum.closes += other.closes
        sum.handshakesFailed.merge(other.handshakesFailed, uniquingKeysWith: +)
        if let faults = other.faults { sum.faults = (sum.faults ?? [:]).merging(faults, uniquingKeysWith: +) }
        sum.tuplesTold = Self.sum(sum.tuplesTold, other.tuplesTold)
        sum.parallelStreams = max(sum.parallelStreams, other.parallelStreams)
        sum.parallelStreamsPerConnection = max(
            sum.parallelStreamsPerConnection, other.parallelStreamsPerConnection)
        sum.messages = Self.sum(sum.messages, other.messages)
        sum.tokensIssued = Self.sum(sum.tokensIssued, other.tokensIssued)
        for (name, gateway) in other.gateways ?? [:] {
            var all = sum.gateways?[name] ?? GatewaySummary()
            all += gateway
            sum.gateways = (sum.gateways ?? [:]).merging([name: all]) { $1 }
        }
    }

    private static func sum(_ one: Int?, _ other: Int?) -> Int? {
        one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
    }
}
