/// The observations of a sink: JSON for `--summary`, and text for standard output.
package struct Summary: JSONFile, Equatable, Sendable {
    /// Requests that arrived completely: the sum of the endings below and of `waiting`.
    package var requests: Int = 0
    package var accepted: Int = 0
    /// The number of distinct tokens of accepted requests; absent if counting was switched off.
    package var distinctTokens: Int?
    package var distinctApnsIDs: Int?
    /// The number of distinct pairs of token and payload. Only the binary gateway has this count, because it
    /// has no ids.
    package var distinctMessages: Int?
    package var rejected: Int = 0
    package var rejectedByReason: [String: Int] = [:]
    package var silent: Int = 0
    package var refused: Int = 0
    package var cut: Int = 0
    package var unprocessed: Int = 0
    package var cancelled: Int = 0
    package var waiting: Int = 0
    package var incomplete: Int = 0
    package var connections: Int = 0
    package var connectionsAtOnce: Int = 0
    package var handshakesFailed: [String: Int] = [:]
    package var protocolErrors: Int = 0
    package var goAways: Int = 0
    package var resets: Int = 0
    package var closes: Int = 0
    package var settingsSent: Int = 0
    /// The number of random faults, by name; absent if there were none. If a fault strikes several requests,
    /// each of these requests is counted.
    package var faults: [String: Int]?
    package var parallelStreamsPerConnection: Int = 0
    package var parallelStreams: Int = 0
    /// The time of the first request, in milliseconds since 1970.
    package var firstRequestAtMs: UInt64?
    package var lastRequestAtMs: UInt64?
    /// The number of requests per second between the first and the last request.
    package var requestsPerSecond: Double?
    /// The number of requests in each second since the first request, if this count was requested.
    package var requestsBySecond: [Int]?
    /// The CPU time of the whole process since the first request, divided by the number of requests.
    package var cpuMicrosecondsPerRequest: Double?

    /// Counts of the FCM gateway. A receiver of connector `custom` also has `messages` and `resultErrors`.
    package var messages: Int?
    package var validatedOnly: Int?
    package var resultErrors: [String: Int]?
    package var canonicalIDs: Int?
    /// The number of issued tokens; OAuth endpoint only.
    package var tokensIssued: Int?
    /// The number of sent tuples; feedback service only.
    package var tuplesTold: Int?

    /// The other gateways of the sink by name: `fcm`, `oauth`, `binary`, `feedback` and `custom`. Their
    /// summaries have the same keys as this one.
    package var gateways: [String: Summary]?

    package init() {}

    package var text: String {
        var lines: [String] = []
        func tell(_ name: String, _ text: String) {
            lines.append(name + String(repeating: " ", count: max(0, 13 - name.count)) + text)
        }
        func tell(_ name: String, _ counts: [String: Int]) {
            for (reason, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                tell(name, "\(count)  \(reason)")
            }
        }
        tell("requests", "\(requests)")
        let ids = distinctApnsIDs.map { "\($0) ids" } ?? distinctMessages.map { "\($0) messages" }
        let distinct = distinctTokens.flatMap { tokens in ids.map { "  (\(tokens) tokens, \($0))" } }
        tell("accepted", "\(accepted)\(distinct ?? "")")
        tell("rejected", rejectedByReason)
        let endings = [
            ("silent", silent), ("refused", refused), ("cut", cut), ("unprocessed", unprocessed),
            ("cancelled", cancelled), ("waiting", waiting), ("incomplete", incomplete),
        ]
        for (name, count) in endings where count > 0 { tell(name, "\(count)") }
        tell("connections", "\(connections), maximum \(connectionsAtOnce) at the same time")
        for (reason, count) in handshakesFailed.sorted(by: { $0.key < $1.key }) {
            tell("", "\(count) failed: \(reason)")
        }
        if parallelStreams > 0 {
            tell(
                "streams",
                "maximum \(parallelStreamsPerConnection) on a connection, \(parallelStreams) in total")
        }
        if goAways + resets + closes + protocolErrors > 0 {
            tell(
                "faults",
                "\(goAways) goaway, \(resets) reset, \(closes) closed, \(protocolErrors) caused by the client"
            )
        }
        if let faults {
            let list = faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            tell("random", list.joined(separator: ", "))
        }
        if let requestsPerSecond, let cpuMicrosecondsPerRequest {
            let cpu = (cpuMicrosecondsPerRequest * 100).rounded() / 100
            tell("rate", "\(Int(requestsPerSecond)) requests/s, \(cpu) us of CPU each")
        }
        if let messages, let validatedOnly, let resultErrors {
            tell("messages", "\(messages) accepted, \(validatedOnly) only validated")
            tell("results", resultErrors)
        }
        if let tuplesTold { tell("tuples", "\(tuplesTold) sent") }
        if let tokensIssued { tell("tokens", "\(tokensIssued) issued") }
        for (name, summary) in (gateways ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("\(name):")
            lines += summary.text.split(separator: "\n").map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
