/// One request that ended at the gateway, as a line in the sink's log describes it.
package struct GatewayRequest: Equatable, Sendable {
    /// The way in which the gateway ended the request. Requests that ended as `cut`, `unprocessed`,
    /// `cancelled` or `silent` had no answer.
    package enum RequestOutcome: String, Sendable {
        case accepted, rejected, silent, refused, cut, unprocessed, cancelled
    }

    /// The interface that the request used.
    package enum Interface: String, Sendable {
        case apns, v1, legacy, binary
    }

    package var interface: Interface
    /// The time at which the request ended, in milliseconds since 1970.
    package var time: Int
    package var connection: Int
    package var ending: RequestOutcome
    package var status: Int
    package var reason: String
    package var token: String
    /// This property and those that follow, up to ``expiration``, are for APNs over HTTP/2 only. They are
    /// empty for the other interfaces, except that the binary gateway also logs a priority and an expiration.
    package var id: String
    package var topic: String
    package var pushType: String
    package var priority: String
    package var expiration: String
    /// Whether the gateway was asked to check the message without delivering it. Only FCM supports this.
    package var isRehearsal: Bool
    package var body: String

    /// Whether FCM ended the request before reading the target. FCM does so when it rejects the caller or
    /// announces that it will close the connection.
    var isUnread: Bool { (interface == .v1 || interface == .legacy) && token == "-" && ending != .accepted }

    func isOf(delivery: Int) -> Bool { body.contains("\"_dId\":\"\(delivery)\"") }

    /// The columns of the sink's logs for APNs, FCM and the old binary gateway.
    private static let layouts: [[String]] = {
        let all = ["at_ms", "connection", "stream", "ending", "status", "reason"]
        return [
            all + [
                "token", "apns_id", "topic", "push_type", "priority", "expiration", "collapse_id", "body",
            ],
            all + ["api", "result", "token", "validate_only", "body"],
            all + ["api", "command", "identifier", "token", "expiration", "priority", "body"],
        ]
    }()

    static func read(_ log: String) throws(LoadError) -> [GatewayRequest] {
        try parse(try Folder.read(log), file: log)
    }

    /// Returns one request per message, or per notification that the binary gateway examined.
    /// - Parameter file: The name by which an error refers to the log.
    package static func parse(_ log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        let lines = log.split(separator: UInt8(ascii: "\n"))
        let header = lines.first.map { String(decoding: $0, as: UTF8.self) }
        guard let columns = layouts.first(where: { "#" + $0.joined(separator: "\t") == header }) else {
            throw LoadError.unreadable(file, "the first line does not name the expected columns")
        }
        let places = Dictionary(uniqueKeysWithValues: zip(columns, 0...))
        var requests: [GatewayRequest] = []
        requests.reserveCapacity(lines.count)
        for line in lines.dropFirst() {
            let fields = line.split(
                separator: 9, maxSplits: columns.count - 1, omittingEmptySubsequences: false)
            guard fields.count == columns.count, let request = GatewayRequest(fields, places) else {
                throw LoadError.unreadable(file, "line \(requests.count + 2) does not describe a request")
            }
            requests.append(request)
        }
        return requests
    }

    /// - Parameter places: The indexes of the log's columns.
    private init?(_ fields: [ArraySlice<UInt8>], _ places: [String: Int]) {
        func text(_ column: String) -> String {
            places[column].map { String(decoding: fields[$0], as: UTF8.self) } ?? ""
        }
        func number(_ column: String) -> Int { Int(text(column)) ?? 0 }
        let spoken =
            places["command"] != nil
            ? .binary : places["api"] == nil ? .apns : Interface(rawValue: text("api"))
        guard let ending = RequestOutcome(rawValue: text("ending")), let interface = spoken else {
            return nil
        }
        (self.interface, self.ending, reason) = (interface, ending, text("reason"))
        (time, connection, status) = (number("at_ms"), number("connection"), number("status"))
        (token, id, topic, pushType) = (text("token"), text("apns_id"), text("topic"), text("push_type"))
        (priority, expiration) = (text("priority"), text("expiration"))
        (isRehearsal, body) = (text("validate_only") == "yes", text("body"))
        // An answer of the legacy interface has status 200 and reports the error of each token separately.
        // That error is the outcome of the token's message.
        let result = text("result")
        if interface == .legacy, ending == .accepted, result != "accepted", result != "canonical" {
            (self.ending, reason) = (.rejected, result)
        }
    }
}

/// Reads a log of the sink while it grows. Each call returns the lines that were added since the last call.
struct GatewayTail {
    private static let maxPieceBytes = 32 << 20
    private let file: String
    private var offset = 0
    private var header: [UInt8] = []

    init(_ file: String) { self.file = file }

    /// Returns the requests whose lines are complete, in order. One call reads about 32 MiB of the log at
    /// most.
    mutating func next() throws(LoadError) -> [GatewayRequest] {
        let fresh = try Folder.read(file, from: offset, limit: Self.maxPieceBytes)
        guard let end = fresh.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        var lines = fresh[...end]
        offset += lines.count
        if header.isEmpty, let first = lines.firstIndex(of: UInt8(ascii: "\n")) {
            header = Array(lines[...first])
            lines = lines[(first + 1)...]
        }
        return lines.isEmpty ? [] : try GatewayRequest.parse(header + lines, file: file)
    }
}
