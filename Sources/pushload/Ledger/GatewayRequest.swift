/// One request that ended at the gateway: a line of the sink's log.
package struct GatewayRequest: Equatable, Sendable {
    /// How the gateway ended it. `cut`, `unprocessed`, `cancelled` and `silent` ones had no answer.
    package enum Ending: String, Sendable {
        case accepted, rejected, silent, refused, cut, unprocessed, cancelled
    }

    /// Milliseconds since 1970.
    package var time: Int
    package var connection: Int
    package var ending: Ending
    package var status: Int
    package var reason: String
    package var token: String
    package var id: String
    package var topic: String
    package var pushType: String
    package var priority: String
    package var expiration: String
    package var body: String

    private static let columns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "token", "apns_id", "topic", "push_type",
        "priority", "expiration", "collapse_id", "body",
    ]

    static func read(log file: String) throws(LoadError) -> [GatewayRequest] {
        try parse(try Folder.read(file), file: file)
    }

    /// - Parameter file: names the log in an error.
    package static func parse(_ log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        let lines = log.split(separator: UInt8(ascii: "\n"))
        guard let header = lines.first, text(header) == "#" + columns.joined(separator: "\t") else {
            throw LoadError(.unreadable(what: file, why: "its first line names other columns than are known here"))
        }
        var requests: [GatewayRequest] = []
        requests.reserveCapacity(lines.count)
        for line in lines.dropFirst() {
            let fields = line.split(separator: 9, maxSplits: columns.count - 1, omittingEmptySubsequences: false)
            guard fields.count == columns.count, let ending = Ending(rawValue: text(fields[3])) else {
                throw LoadError(.unreadable(what: file, why: "line \(requests.count + 2) has \(fields.count) columns"))
            }
            requests.append(
                GatewayRequest(
                    time: Int(text(fields[0])) ?? 0, connection: Int(text(fields[1])) ?? 0, ending: ending,
                    status: Int(text(fields[4])) ?? 0, reason: text(fields[5]), token: text(fields[6]),
                    id: text(fields[7]), topic: text(fields[8]), pushType: text(fields[9]), priority: text(fields[10]),
                    expiration: text(fields[11]), body: text(fields[13])))
        }
        return requests
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
