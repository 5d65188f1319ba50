package import PushModel
internal import PushStore
internal import PushWire

/// A row of a delivery's log.
package struct MessageLogRow: View, Equatable {
    package static let about = [
        "token": "null if the subscription was removed", "providerReason": "the gateway's own text",
    ].merging(aboutReports) { $1 }
    /// The members about a message's id on the device and about what the device reported.
    static let aboutReports = [
        "messageId": "the `_mId` that the device received; null if the delivery has no tracking",
        "receivedAt":
            "when the device first reported the receipt or a click; null if it reported neither",
        "clickedAt": "when the device first reported a click; null if it reported none",
        "clicks": "the number of reported clicks",
    ]

    package var messageId: String?
    package var userKey: String
    package var token: String?
    package var app: String
    package var state: String
    package var attempts: Int
    package var failureType: String?
    package var failureReason: String?
    package var providerReason: String?
    package var providerId: String?
    package var updatedAt: WallTime
    /// The time of the device's first report; `nil` if it reported nothing.
    package var receivedAt: WallMoment?
    /// The time of the first reported click; `nil` if no click was reported.
    package var clickedAt: WallMoment?
    package var clicks: Int

    /// - Parameter cipher: The cipher that created the messages' ids; `nil` if the delivery's messages
    ///   carried no ids.
    init(_ entry: MessageLogEntry, of delivery: DeliveryID, cipher: MessageIDCipher?) {
        messageId =
            cipher?.deviceID(of: entry.message, entry.ordinal, entry.messageIDFormat, in: delivery)
        userKey = entry.userKey
        token = entry.token.isEmpty ? nil : entry.token
        app = entry.appName
        state = entry.state.name
        attempts = entry.attempts
        failureType = entry.failureType?.label
        failureReason = entry.failureReason?.label
        providerReason = entry.providerReason
        providerId = entry.providerID
        updatedAt = entry.updatedAt
        receivedAt = entry.hits?.received
        clickedAt = entry.hits?.clicked
        clicks = entry.hits?.clicks ?? 0
    }
}

/// The formats of a log that is written to a file.
extension MessageLogRow {
    package static let header =
        "messageId,userKey,token,app,state,attempts,failureType,failureReason,providerReason,providerId,"
        + "updatedAt,receivedAt,clickedAt,clicks\n"

    package static func csv(_ rows: [MessageLogRow]) -> [UInt8] {
        var csv = CSVWriter()
        for row in rows {
            csv.appendRow([
                row.messageId ?? "", row.userKey, row.token ?? "", row.app, row.state, String(row.attempts),
                row.failureType ?? "", row.failureReason ?? "", row.providerReason ?? "",
                row.providerId ?? "", row.updatedAt.utcText, row.receivedAt?.utcText ?? "",
                row.clickedAt?.utcText ?? "", String(row.clicks),
            ])
        }
        return csv.bytes
    }

    package static func jsonLines(_ rows: [MessageLogRow]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rows {
            try JSONValue(encoding: row).append(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

extension Page: CSVTable where Item == MessageLogRow {
    package var csv: [UInt8] { Array(MessageLogRow.header.utf8) + MessageLogRow.csv(items) }
}

/// Returns the result of each message of a delivery, in the order in which the messages were prepared. While
/// the delivery is running, each page of the log is a separate snapshot.
package struct ReadDeliveryLog: Sendable {
    package var id: DeliveryID
    /// The user or the device to which the log is limited; `nil` means all messages.
    package var who: SubscriberName?

    package init(id: DeliveryID, userKey: String? = nil, token: String? = nil) {
        self.id = id
        who = userKey.map { .userKey($0) } ?? token.map { .token($0) }
    }

    /// If some messages of the delivery cannot be read, the other messages are returned, and the error states
    /// how many are missing.
    /// - Parameter take: Receives the rows, page by page.
    package func perform(
        in operations: Operations, take: ([MessageLogRow]) throws -> Void
    ) throws(OperationError) {
        do {
            let store = operations.store
            try requireMessages(operations)
            let cipher = try cipher(operations)
            if let who {
                let rows = try entries(to: who, operations)
                try take(rows.map { MessageLogRow($0, of: id, cipher: cipher) })
                return try requireWhole(operations)
            }
            var last: MessageID?
            while true {
                let page = try store.deliveries.log(of: id, after: last)
                guard let end = page.last else { return try requireWhole(operations) }
                try take(page.map { MessageLogRow($0, of: id, cipher: cipher) })
                last = end.message
            }
        } catch {
            throw OperationError(error)
        }
    }

    /// Returns the messages to a user or to a device. Devices of a user that were removed are included.
    fileprivate func entries(
        to who: SubscriberName, _ operations: Operations
    ) throws -> [MessageLogEntry] {
        let deliveries = operations.store.deliveries
        if case .userKey(let key) = who { return try deliveries.log(of: id, toUser: key) }
        let ids = Set(try deliveries.delivery(id)?.order.apps ?? [])
        let apps = try operations.store.catalogue.appNames().filter { ids.contains($0.id) }
        let devices = try who.all(of: apps, in: operations).map(\.subscription)
        return try deliveries.log(of: id, to: Set(devices))
    }

    /// Returns the cipher that created the messages' ids; `nil` if the delivery's messages carried no ids.
    fileprivate func cipher(_ operations: Operations) throws -> MessageIDCipher? {
        let isTracked = try operations.store.deliveries.delivery(id)?.order.tracking ?? false
        return isTracked ? MessageIDCipher(key: try operations.key()) : nil
    }

    func requireMessages(_ operations: Operations) throws {
        guard let removed = try operations.requireDelivery(id).removed else { return }
        throw OperationError.noMatch(
            "\(StoreError(.messagesRemoved(id, on: removed.dayText), path: operations.store.path))")
    }

    fileprivate func requireWhole(_ operations: Operations) throws {
        try requireMessages(operations)
        let missing = try operations.store.deliveries.missing(of: id)
        guard missing != 0 else { return }
        let what =
            missing > 0
            ? "\(missing) of its messages cannot be read" : "some of its parts contain the same messages"
        throw OperationError.failed(
            "the log of delivery \(id) is incomplete: \(what); \(see: RecountDelivery.self) shows details"
        )
    }
}

extension Member {
    /// The delivery that a request concerns.
    static func delivery(_ path: any WritableKeyPath<Root, DeliveryID> & Sendable) -> Self {
        .path(path, "id", "The delivery's id.", in: 1...Int.max)
    }
}

/// A page of a delivery's log; see ``ReadDeliveryLog``.
package struct ReadDeliveryLogPage: ShortOperation, UseCase {
    package static let name = "delivery.log"
    package static let operation = Operation(
        .get, "/deliveries/{id}/log", .read,
        """
        Lists the result of each message, and what its device reported, in the order in which the messages \
        were prepared. With userKey, the list contains only messages to one user, and with token only \
        messages to one device.
        """
    )
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .query(
            \.userKey, "userKey",
            "Return only messages to this user. All of them are on one page."
        ).secret,
        .query(
            \.token, "token",
            "Return only messages to the device with this token. All of them are on one page."
        ).secret,
        .query(\.limit, "limit", "The maximum number of messages.", in: 1...5_000, default: 1_000),
        .cursor(\.after),
    ]

    package var id = DeliveryID(rawValue: 0)
    package var userKey: String?
    package var token: String?
    package var after: Int64?
    package var limit = 1_000

    package init() {}

    /// If some messages of the delivery cannot be read, the other messages are returned. The request for the
    /// page after them then fails with an error that states how many messages are missing.
    package func perform(in operations: Operations) throws -> Page<MessageLogRow> {
        guard userKey == nil || token == nil else {
            throw OperationError(.usage, "give userKey or token, not both")
        }
        let log = ReadDeliveryLog(id: id, userKey: userKey, token: token)
        try log.requireMessages(operations)
        let store = operations.store
        let cipher = try log.cipher(operations)
        let entries: [MessageLogEntry]
        if let who = log.who {
            entries = after == nil ? try log.entries(to: who, operations) : []
        } else {
            entries = try store.deliveries.log(
                of: id, after: after.map(MessageID.init(rawValue:)), limit: limit)
        }
        if entries.isEmpty { try log.requireWhole(operations) }
        let isLast = log.who != nil || entries.count < limit
        let isWhole = try !isLast || store.deliveries.missing(of: id) == 0
        return Page(
            entries.map { MessageLogRow($0, of: id, cipher: cipher) },
            next: isLast && isWhole ? nil : entries.last?.message.rawValue, of: self)
    }
}
