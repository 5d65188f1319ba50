/// The sink's counts: those members of the sink's summary file that this program uses.
package struct GatewaySummary: Decodable, Equatable, Sendable {
    package var requests = 0
    package var accepted = 0
    /// The number of distinct tokens; `nil` if the sink did not count them.
    package var distinctTokens: Int?
    package var distinctApnsIDs: Int?
    package var rejected = 0
    package var rejectedByReason: [String: Int] = [:]
    package var refused = 0
    package var unprocessed = 0
    package var connections = 0
    package var protocolErrors = 0
    package var goAways = 0
    /// The maximum number of requests that were waiting for answers at the same time.
    package var parallelStreams = 0
    /// The number of requests in each second since the first request; `nil` if the sink was started without
    /// the option to count them, or if the summary covers several sinks.
    package var requestsBySecond: [Int]?
    /// Access tokens issued for FCM.
    package var tokensIssued: Int?
    /// Tuples sent by the feedback service.
    package var tuplesTold: Int?
    /// The number of random faults that the sink caused, by the fault's name.
    package var faults: [String: Int]?
    package var handshakesFailed: [String: Int] = [:]
    /// The sink's other gateways: `fcm`, `oauth`, `binary`, `feedback`.
    package var gateways: [String: GatewaySummary]?

    package var fcm: GatewaySummary { gateway("fcm") }
    package var oauth: GatewaySummary { gateway("oauth") }
    package var binary: GatewaySummary { gateway("binary") }
    package var feedback: GatewaySummary { gateway("feedback") }
    private func gateway(_ name: String) -> GatewaySummary { gateways?[name] ?? GatewaySummary() }

    /// The protocol errors of all gateways that accept messages.
    var protocolErrorsOfAll: Int { [self, fcm, binary].sum(of: \.protocolErrors) }

    package init() {}

    /// Adds up two summaries. Counts of distinct values cannot be added, so the sum contains them only if it
    /// covers a single sink.
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

    /// Throws an error unless every message of the delivery arrived exactly once. Otherwise the delivery's
    /// figures would be meaningless.
    func require(all messages: Int, of report: DeliveryReport) throws(LoadError) {
        guard report.state == "finished", report.counts.sent == messages else {
            throw LoadError("the delivery did not end as expected: \(report.summary)")
        }
        guard accepted == messages, rejected == 0 else {
            throw LoadError("the gateway accepted \(accepted) of \(messages) and refused \(rejected)")
        }
        for (what, count) in [("tokens", distinctTokens), ("ids", distinctApnsIDs)] {
            if let count, count != messages {
                throw LoadError("the gateway received \(count) different \(what)")
            }
        }
    }
}
