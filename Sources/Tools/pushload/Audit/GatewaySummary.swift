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

    package var fcm: GatewaySummary { gateway("fcm") }
    package var oauth: GatewaySummary { gateway("oauth") }
    package var binary: GatewaySummary { gateway("binary") }
    package var feedback: GatewaySummary { gateway("feedback") }
    private func gateway(_ name: String) -> GatewaySummary { gateways?[name] ?? GatewaySummary() }

    /// Of the gateways that take messages.
    var protocolErrorsOfAll: Int { [self, fcm, binary].sum(of: \.protocolErrors) }

    package init() {}

    /// Distinct things cannot be added up: they are kept of a single sink.
    package static func += (sum: inout GatewaySummary, other: GatewaySummary) {
        let isFirst = sum == GatewaySummary()
        sum.distinctTokens = isFirst ? other.distinctTokens : nil
        sum.distinctApnsIDs = isFirst ? other.distinctApnsIDs : nil
        sum.requestsBySecond = isFirst ? other.requestsBySecond : nil
        for count in counts { sum[keyPath: count] += other[keyPath: count] }
        sum.parallelStreams = max(sum.parallelStreams, other.parallelStreams)
        sum.rejectedByReason.merge(other.rejectedByReason, uniquingKeysWith: +)
        sum.handshakesFailed.merge(other.handshakesFailed, uniquingKeysWith: +)
        sum.tuplesTold = added(sum.tuplesTold, other.tuplesTold, +)
        sum.tokensIssued = added(sum.tokensIssued, other.tokensIssued, +)
        sum.faults = added(sum.faults, other.faults) { $0.merging($1, uniquingKeysWith: +) }
        sum.gateways = added(sum.gateways, other.gateways) { ours, theirs in
            ours.merging(theirs) { one, another in
                var all = one
                all += another
                return all
            }
        }
    }

    private static let counts: [any WritableKeyPath<GatewaySummary, Int> & Sendable] = [
        \.requests, \.accepted, \.rejected, \.refused, \.unprocessed, \.connections, \.protocolErrors,
        \.goAways,
    ]

    private static func added<Value>(
        _ one: Value?, _ other: Value?, _ add: (Value, Value) -> Value
    ) -> Value? {
        if let one, let other { add(one, other) } else { one ?? other }
    }

    /// A figure of a delivery that did not arrive once and whole is none.
    func require(all messages: Int, of report: DeliveryReport) throws(LoadError) {
        guard report.state == "finished", report.counts.sent == messages else {
            throw LoadError("the delivery ended as \(report.summary)")
        }
        guard accepted == messages, rejected == 0 else {
            throw LoadError("the gateway accepted \(accepted) of \(messages) and refused \(rejected)")
        }
        for (what, count) in [("tokens", distinctTokens), ("ids", distinctApnsIDs)] {
            if let count, count != messages {
                throw LoadError("the gateway saw \(count) different \(what)")
            }
        }
    }
}
