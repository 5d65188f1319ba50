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

    package init() {}

    /// Distinct things cannot be added up: they are kept of a single sink.
    package static func += (sum: inout GatewaySummary, other: GatewaySummary) {
        let isFirst = sum == GatewaySummary()
        sum.distinctTokens = isFirst ? other.distinctTokens : nil
        sum.distinctApnsIDs = isFirst ? other.distinctApnsIDs : nil
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
    }
}
