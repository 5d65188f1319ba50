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

    package var interface: Interface
    /// Milliseconds since 1970.
    package var time: Int
    package var connection: Int
    package var ending: Ending
    package var status: Int
    package var reason: String
    package var token: String
    /// Of APNs over HTTP/2, as all until ``expiration``; empty of the others.
    package var id: String
    package var topic: String
    package var pushType: String
    package var priority: String
    package var expiration: String
    /// Of FCM: the gateway only checked.
    package var isRehearsal: Bool
    package var body: String

    /// FCM turns a caller away, or says goodbye, before it reads whom the message is for.
    var isUnread: Bool {
        (interface == .v1 || interface == .legacy) && token == "-" && ending != .accepted
    }

    func isOf(delivery: Int) -> Bool { body.contains("\"_dId\":\"\(delivery)\"") }

    /// The columns of the sink's logs: of APNs, FCM and the old binary gateway.
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

    /// Where a layout has a column; nil: nowhere.
    private struct Places {
        let (api, result, token, id): (Int?, Int?, Int?, Int?)
        let (topic, pushType, priority, expiration): (Int?, Int?, Int?, Int?)
        let rehearsal: Int?
        let isBinary: Bool

        init(_ columns: [String]) {
            func place(_ name: String) -> Int? { columns.firstIndex(of: name) }
            (api, result, token, id) = (place("api"), place("result"), place("token"), place("apns_id"))
            (topic, pushType) = (place("topic"), place("push_type"))
            (priority, expiration) = (place("priority"), place("expiration"))
            rehearsal = place("validate_only")
            isBinary = place("command") != nil
        }
    }

    static func read(_ log: String) throws(LoadError) -> [GatewayRequest] {
        try parse(try Folder.read(log), file: log)
    }

    /// One for each message, or for each notification that the binary gateway looked at.
    /// - Parameter file: names the log in an error.
    package static func parse(_ log: [UInt8], file: String) throws(LoadError) -> [GatewayRequest] {
        let lines = log.split(separator: UInt8(ascii: "\n"))
        let header = lines.first.map { String(decoding: $0, as: UTF8.self) }
        guard let columns = layouts.first(where: { "#" + $0.joined(separator: "\t") == header }) else {
            throw LoadError(
                .unreadable(what: file, why: "its first line names other columns than are known here"))
        }
        let places = Places(columns)
        var requests: [GatewayRequest] = []
        requests.reserveCapacity(lines.count)
        for line in lines.dropFirst() {
            let fields = line.split(
                separator: 9, maxSplits: columns.count - 1, omittingEmptySubsequences: false)
            guard fields.count == columns.count, let request = GatewayRequest(fields, places) else {
                throw LoadError(
                    .unreadable(what: file, why: "line \(requests.count + 2) is none of a request"))
            }
            requests.append(request)
        }
        return requests
    }

    private init?(_ fields: [ArraySlice<UInt8>], _ places: Places) {
        func text(_ place: Int?) -> String { place.map { String(decoding: fields[$0], as: UTF8.self) } ?? "" }
        func number(_ place: Int) -> Int { Int(text(place)) ?? 0 }
        let spoken =
            places.isBinary ? .binary : places.api == nil ? .apns : Interface(rawValue: text(places.api))
        guard let ending = Ending(rawValue: text(3)), let interface = spoken else { return nil }
        (self.interface, self.ending, reason) = (interface, ending, text(5))
        (time, connection, status, token) = (number(0), number(1), number(4), text(places.token))
        (id, topic, pushType) = (text(places.id), text(places.topic), text(places.pushType))
        (priority, expiration) = (text(places.priority), text(places.expiration))
        (isRehearsal, body) = (text(places.rehearsal) == "yes", text(fields.count - 1))
        // A legacy answer says 200 and tells each token's error apart: that is its message's ending.
        let result = text(places.result)
        if interface == .legacy, ending == .accepted, result != "accepted", result != "canonical" {
            (self.ending, reason) = (.rejected, result)
        }
    }
}
