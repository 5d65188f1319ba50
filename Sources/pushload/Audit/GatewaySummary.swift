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
    package var unprocessed = 0
    package var connections = 0
    package var protocolErrors = 0
    package var goAways = 0
    /// The most requests that waited for their answers at one moment.
    package var parallelStreams = 0
    /// By the second since the first, where the sink was asked for it; of one sink alone.
    package var requestsBySecond: [Int]?
    /// Access tokens given out for FCM.
    package var tokensIssued: Int?
    /// Tuples of the feedback service.
    package var tuplesTold: Int?
    /// Random faults, by name.
    package var faults: [String: Int]?
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
        for count in counts { sum[keyPath: count] += other[keyPath: count] }
        sum.rejectedByReason.merge(other.rejectedByReason, uniquingKeysWith: +)
        sum.handshakesFailed.merge(other.handshakesFailed, uniquingKeysWith: +)
        if let faults = other.faults { sum.faults = (sum.faults ?? [:]).merging(faults, uniquingKeysWith: +) }
        sum.parallelStreams = max(sum.parallelStreams, other.parallelStreams)
        for count in countsOfSome where sum[keyPath: count] != nil || other[keyPath: count] != nil {
            sum[keyPath: count] = (sum[keyPath: count] ?? 0) + (other[keyPath: count] ?? 0)
        }
        for (name, gateway) in other.gateways ?? [:] {
            var all = sum.gateways?[name] ?? GatewaySummary()
            all += gateway
            sum.gateways = (sum.gateways ?? [:]).merging([name: all]) { $1 }
        }
    }

    private static var counts: [WritableKeyPath<GatewaySummary, Int>] {
        [
            \.requests, \.accepted, \.rejected, \.refused, \.unprocessed, \.connections, \.protocolErrors,
            \.goAways,
        ]
    }

    private static var countsOfSome: [WritableKeyPath<GatewaySummary, Int?>] {
        [\.tuplesTold, \.tokensIssued]
    }

    /// A figure of a delivery that did not arrive once and whole is none.
    func require(all messages: Int, of report: DeliveryReport) throws(LoadError) {
        guard report.state == "finished", report.counts.sent == messages else {
            throw LoadError(.wrong("the delivery ended as \(report.summary)"))
        }
        guard accepted == messages, rejected == 0 else {
            throw LoadError(
                .wrong("the gateway accepted \(accepted) of \(messages) and refused \(rejected)"))
        }
        for (what, count) in [("tokens", distinctTokens), ("ids", distinctApnsIDs)] {
            if let count, count != messages {
                throw LoadError(.wrong("the gateway saw \(count) different \(what)"))
            }
        }
    }
}
