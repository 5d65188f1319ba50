internal import PushModel

/// The answers to earlier requests, found by the keys that callers gave to the requests. Operates within the
/// caller's transaction.
struct MessageIdempotency {
    struct Name: Hashable {
        var scope: String
        var key: String
        init(_ key: IdempotencyKey) { (scope, self.key) = (key.scope, key.key) }
    }

    let db: any Session
    let now: WallTime

    /// Returns the answers in the order of the keys. An answer is `nil` if there was no request with the key,
    /// or if the request was made too long ago.
    func answers(to keys: [IdempotencyKey]) throws -> [MessageResult?] {
        var answers: [MessageResult?] = Array(repeating: nil, count: keys.count)
        guard !keys.isEmpty else { return answers }
        let batch = try Batch(db, one: HotSQL.idempotency, many: HotSQL.idempotencies)
        batch.bind(firstKept, at: 3)
        try batch.rows(of: Array(keys.enumerated())) { item, parameters in
            parameters.bind(item.element.scope, at: 1)
            parameters.bind(item.element.key, at: 2)
        } row: { item, row, column in
            answers[item.offset] = try Self.answer(to: item.element, row, column: column)
        }
        return answers
    }

    private var firstKept: Int64 { IdempotencyKey.firstKept(at: now) }

    /// - Parameter column: The column of the body; the answer is in the next column.
    private static func answer(
        to key: IdempotencyKey, _ row: any Statement, column: Int32
    ) throws -> MessageResult {
        let (body, messages) = unsafe (Array(row.bytes(column)), Array(row.bytes(column + 1)))
        guard key.isSame(as: body) else { return .failure(.keyReused) }
        guard var accepted = AcceptedMessage(decoding: messages) else { throw UnreadableValue() }
        accepted.isRepeated = true
        return .success(accepted)
    }

    /// Returns the keys that are older than a day.
    func old(limit: Int) throws -> [(scope: String, key: String)] {
        try db.rows(
            sql: HotSQL.oldIdempotency,
            arguments: [firstKept, limit]
        ).map { (try $0["scope"], try $0["key"]) }
    }

    /// - Parameter subscription: The recipient, or the first one if there are several.
    func note(_ key: IdempotencyKey, _ accepted: AcceptedMessage, for subscription: SubscriptionID) throws {
        try db.run(
            sql: HotSQL.noteIdempotency,
            arguments: [
                key.scope, key.key, key.body, accepted.encoded, subscription.rawValue, now.secondsSince1970,
            ])
    }
}

extension AcceptedMessage {
    /// The encoding: eight bytes for the delivery, then nine for each device: eight for the message, and one
    /// for the reason for the device's exclusion, or 0.
    var encoded: [UInt8] {
        var bytes = Self.bytes(delivery.rawValue)
        for device in devices {
            bytes += Self.bytes(device.message.rawValue)
            bytes.append(device.exclusion?.rawValue ?? 0)
        }
        return bytes
    }

    /// `nil` if the bytes are not a valid encoding.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count > 8, (bytes.count - 8) % 9 == 0 else { return nil }
        var devices: [Device] = []
        for start in stride(from: 8, to: bytes.count, by: 9) {
            let code = bytes[start + 8]
            guard code == 0 || Exclusion(rawValue: code) != nil else { return nil }
            devices.append(
                Device(
                    message: MessageID(rawValue: Self.number(bytes[start..<start + 8])),
                    exclusion: Exclusion(rawValue: code)))
        }
        self.init(delivery: DeliveryID(rawValue: Self.number(bytes[..<8])), devices: devices)
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
