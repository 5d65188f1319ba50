/// One request that ended at the gateway: a line of the sink's log.
package struct GatewayRequest: Equatable, Sendable {
    /// How the gateway ended it. `cut`, `unprocessed`, `cancelled` and `silent` ones had no answer.
    package enum Ending: String, Sendable {
        case accepted, rejected, silent, refused, cut, unprocessed, cancelled
    }

    /// Whose interface was spoken.
    package enum Interface: String, Sendable {
        case apns, v1, legacy, binary
    }

    package var interface = Interface.apns
    /// Milliseconds since 1970.
    package var time: Int
    package var connection: Int
    package var ending: Ending
    package var status: Int
    package var reason: String
    package var token: String
    /// Of APNs over HTTP/2, as all until ``expiration``; empty of the others.
    package var id = ""
    package var topic = ""
    package var pushType = ""
    package var priority = ""
    package var expiration = ""
    /// Of FCM: the gateway only checked.
    package var isRehearsal = false
    package var body: String

    /// FCM turns a caller away, or says goodbye, before it reads whom the message is for.
    var isUnread: Bool {
        (interface == .v1 || interface == .legacy) && token == "-" && ending != .accepted
    }

    func isOf(delivery: Int) -> Bool { body.contains("\"_dId\":\"\(delivery)\"") }

    private static let columns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "token", "apns_id", "topic",
        "push_type",
        "priority", "expiration", "collapse_id", "body",
    ]

    private static let fcmColumns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "api", "result", "token",
        "validate_only",
        "body",
    ]

    private static let binaryColumns = [
        "at_ms", "connection", "stream", "ending", "status", "reason", "api", "command", "identifier",
        "token",
        "expiration", "priority", "body",
    ]

    static func read(log file: String) throws(LoadError) -> [GatewayRequest] {
        try parse(try Folder.read(file), file: file)
    }

    /// - Parameter file: names the log in an error.
    package static func parse(_ log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        try rows(log, columns, file: file) { fields in
            Ending(rawValue: text(fields[3])).map { ending in
                GatewayRequest(
                    time: Int(text(fields[0])) ?? 0, connection: Int(text(fields[1])) ?? 0, ending: ending,
                    status: Int(text(fields[4])) ?? 0, reason: text(fields[5]), token: text(fields[6]),
                    id: text(fields[7]), topic: text(fields[8]), pushType: text(fields[9]),
                    priority: text(fields[10]),
                    expiration: text(fields[11]), body: text(fields[13]))
            }
        }
    }

    static func read(fcmLog file: String) throws(LoadError) -> [GatewayRequest] {
        try parse(fcmLog: try Folder.read(file), file: file)
    }

    /// One for each message. A legacy answer says 200 and tells each token's error apart: that is its
    /// message's ending.
    package static func parse(fcmLog log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        try rows(log, fcmColumns, file: file) { fields in
            guard var ending = Ending(rawValue: text(fields[3])),
                let interface = Interface(rawValue: text(fields[6]))
            else { return nil }
            var reason = text(fields[5])
            let result = text(fields[7])
            if interface == .legacy, ending == .accepted, result != "accepted", result != "canonical" {
                ending = .rejected
                reason = result
            }
            return GatewayRequest(
                interface: interface, time: Int(text(fields[0])) ?? 0, connection: Int(text(fields[1])) ?? 0,
                ending: ending, status: Int(text(fields[4])) ?? 0, reason: reason, token: text(fields[8]),
                isRehearsal: text(fields[9]) == "yes", body: text(fields[10]))
        }
    }

    static func read(binaryLog file: String) throws(LoadError) -> [GatewayRequest] {
        try parse(binaryLog: try Folder.read(file), file: file)
    }

    /// Notifications that the binary gateway looked at.
    package static func parse(binaryLog log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        try rows(log, binaryColumns, file: file) { fields in
            Ending(rawValue: text(fields[3])).map { ending in
                GatewayRequest(
                    interface: .binary, time: Int(text(fields[0])) ?? 0,
                    connection: Int(text(fields[1])) ?? 0,
                    ending: ending, status: Int(text(fields[4])) ?? 0, reason: text(fields[5]),
                    token: text(fields[9]),
                    priority: text(fields[11]), expiration: text(fields[10]), body: text(fields[12]))
            }
        }
    }

    private static func rows(
        _ log: [UInt8], _ columns: [String], file: String, _ row: ([ArraySlice<UInt8>]) -> GatewayRequest?
    ) throws(LoadError) -> [GatewayRequest] {
        let lines = log.split(separator: UInt8(ascii: "\n"))
        guard let header = lines.first, text(header) == "#" + columns.joined(separator: "\t") else {
            throw LoadError(
                .unreadable(what: file, why: "its first line names other columns than are known here"))
        }
        var requests: [GatewayRequest] = []
        requests.reserveCapacity(lines.count)
        for line in lines.dropFirst() {
            let fields = line.split(
                separator: 9, maxSplits: columns.count - 1, omittingEmptySubsequences: false)
            guard fields.count == columns.count, let request = row(fields) else {
                throw LoadError(
                    .unreadable(what: file, why: "line \(requests.count + 2) is none of a request"))
            }
            requests.append(request)
        }
        return requests
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
