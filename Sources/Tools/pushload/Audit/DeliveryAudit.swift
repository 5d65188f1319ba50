internal import FoundationEssentials

/// The result of a delivery according to both sides: the engine's counts and log, and all requests that the
/// gateway received.
///
/// A scenario states the complete audit that it expects. Every count that it does not name must be zero.
package struct DeliveryAudit: Equatable, Sendable {
    // Counts from the engine.
    package var targeted = 0
    package var sent = 0
    package var failed = 0
    package var cancelled = 0
    /// The number of pending or retrying messages, which is 0 after a delivery has ended.
    package var unfinished = 0
    package var excluded = 0

    // Counts from the gateway.
    /// Devices whose notification was accepted at least once.
    package var reached = 0
    /// Accepted requests after a device's first accepted request.
    package var doubled = 0
    /// Requests that the gateway answered but did not accept.
    package var rejected = 0
    /// Requests that reached the gateway and got no answer.
    package var unanswered = 0

    // Counts that must be zero.
    /// Counts in `delivery show` that differ from a recount of the rows in `delivery log`.
    package var countsOff = 0
    /// Messages that are `sent` in the log but that the gateway never accepted.
    package var missing = 0
    /// Messages that the gateway accepted but that are not `sent` in the log.
    package var uncalledFor = 0
    /// The number of devices for which two attempts had different `apns-id`s, or that share an `apns-id` with
    /// another device.
    package var changedIDs = 0
    /// Requests whose `apns-id` does not match the message's id.
    package var foreignIDs = 0
    /// Requests whose body is not the JSON that the request's interface expects. APNs expects an object with
    /// `aps`. FCM expects an object with the message's token and a `data` object, which contains `_msg` in a
    /// data message. For both, the body must also contain the `_mId` and `_dId` from the log as strings.
    package var oddBodies = 0

    package init() {}

    /// Returns an audit in which every device is reached once and nothing else happened.
    package static func everyoneOnce(_ count: Int) -> DeliveryAudit {
        var audit = DeliveryAudit()
        (audit.targeted, audit.sent, audit.reached) = (count, count, count)
        return audit
    }

    /// The audit without the counts of repeated and unanswered requests. A scenario with faults limits these
    /// counts instead of stating exact numbers.
    package var withoutRepeats: DeliveryAudit {
        var audit = self
        audit.doubled = 0
        audit.unanswered = 0
        return audit
    }

    /// - Parameter requests: All requests for this delivery, and only those.
    package init(report: DeliveryReport, log: [MessageRow], requests: [GatewayRequest]) {
        let counts = report.counts
        (targeted, sent, failed) = (counts.targeted, counts.sent, counts.failed)
        (cancelled, excluded) = (counts.cancelled, counts.excluded)
        unfinished = counts.pending + counts.retrying
        var rows: [String: MessageRow] = [:]
        var states: [String: Int] = [:]
        for row in log {
            rows[row.token] = row
            states[row.state, default: 0] += 1
        }
        let told = [
            ("sent", sent), ("failed", failed), ("cancelled", cancelled), ("excluded", excluded),
            ("pending", counts.pending), ("retrying", counts.retrying),
        ]
        countsOff = told.sum { abs($1 - states[$0, default: 0]) } + (report.addsUp ? 0 : 1)

        var accepted: [String: Int] = [:]
        var ids: [String: String] = [:]
        var tokens: [String: String] = [:]
        let decoder = JSONDecoder()
        for request in requests {
            switch request.ending {
            case .accepted: accepted[request.token, default: 0] += 1
            case .rejected: rejected += 1
            case .silent, .refused, .cut, .unprocessed, .cancelled: unanswered += 1
            }
            if request.isUnread { continue }
            guard let row = rows[request.token] else {
                oddBodies += 1
                continue
            }
            if request.interface == .apns {
                let isNew = ids[request.token] == nil
                if isNew, tokens.updateValue(request.token, forKey: request.id) != nil { changedIDs += 1 }
                if !isNew, ids[request.token] != request.id { changedIDs += 1 }
                ids[request.token] = request.id
                if !Self.belongs(request.id, to: row.messageId) { foreignIDs += 1 }
            }
            let body = try? decoder.decode(MessageBody.self, from: Data(request.body.utf8))
            if body?.isRight(for: row, "\(report.id)", request.interface) != true { oddBodies += 1 }
        }
        reached = accepted.count
        doubled = accepted.values.reduce(0, +) - accepted.count
        missing = log.count { $0.state == "sent" && accepted[$0.token] == nil }
        uncalledFor = accepted.keys.count { rows[$0]?.state != "sent" }
    }

    /// Returns whether an `apns-id` is the message's UUID, changed to version 8 and to the variant that RFC
    /// 9562 defines. If the message's id is a number, returns whether the `apns-id` is any UUID with this
    /// version and variant.
    private static func belongs(_ id: String, to message: String) -> Bool {
        let found = Array(id.utf8)
        guard found.count == 36, found[14] == UInt8(ascii: "8"), "89ab".utf8.contains(found[19]) else {
            return false
        }
        let expected = Array(message.utf8)
        guard expected.count == 36 else { return Int(message) != nil }
        guard let nibble = Int(String(decoding: [expected[19]], as: UTF8.self), radix: 16) else {
            return false
        }
        var stamped = expected
        stamped[14] = UInt8(ascii: "8")
        stamped[19] = Array("89ab".utf8)[nibble & 3]
        return found == stamped
    }
}

/// The body of a request to a gateway, with every member that one of the interfaces uses.
private struct MessageBody: Decodable {
    struct Aps: Decodable {}
    struct Notification: Decodable { var title: String }
    struct Message: Decodable {
        var token: String
        var data: [String: String]
        var notification: Notification?
    }

    var aps: Aps?
    var _mId: String?
    var _dId: String?
    var message: Message?
    var to: String?
    var registration_ids: [String]?
    var data: [String: String]?

    func isRight(for row: MessageRow, _ delivery: String, _ interface: GatewayRequest.Interface) -> Bool {
        func named(_ ids: [String: String]?) -> Bool {
            ids?["_mId"] == row.messageId && ids?["_dId"] == delivery
        }
        return switch interface {
        case .apns, .binary: aps != nil && _mId == row.messageId && _dId == delivery
        case .v1:
            message?.token == row.token && named(message?.data)
                && (message?.notification != nil || message?.data["_msg"] != nil)
        case .legacy:
            (registration_ids ?? []) + [to].compactMap(\.self) == [row.token] && named(data)
        }
    }
}

extension Testbed {
    /// Returns the audit of the testbed's only delivery. Stops the gateway first, because the gateway's log
    /// is not complete until the gateway ends.
    package func audit(of delivery: Int) async throws -> DeliveryAudit {
        try await sink?.endIfRunning()
        return DeliveryAudit(
            report: try await show(delivery), log: try await messageLog(delivery),
            requests: try gatewayRequests())
    }
}
