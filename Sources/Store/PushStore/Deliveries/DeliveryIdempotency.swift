package import PushModel

/// The result of submitting a delivery with a key.
package enum KeyedSubmission: Equatable, Sendable {
    /// This request created the delivery.
    case accepted(DeliveryID)
    /// An earlier request with the same key created the delivery.
    /// - Parameter warnings: The warnings that the earlier request received.
    case repeated(DeliveryID, warnings: [String])
    /// The key was used for a different request; nothing was changed.
    case keyReused
}

/// Finds deliveries by the keys with which they were submitted, as ``MessageIdempotency`` does for messages.
/// Operates within the caller's transaction.
struct DeliveryIdempotency {
    /// The value of the column `subscription_id` for the key of a delivery or a draft. For a message's key,
    /// this column contains the recipient. No subscriber has this number.
    static let nobody: Int64 = 0

    let db: any Session
    let now: WallTime

    /// The answer to the earlier request, stored as JSON.
    private struct Answer: Codable {
        var delivery: Int64
        var warnings: [String]
    }

    /// Returns the result of the earlier request with the key; `nil` if there was no such request, or if it
    /// was made too long ago.
    func submission(of key: IdempotencyKey) throws -> KeyedSubmission? {
        let row = try db.row(
            sql: HotSQL.idempotency, arguments: [key.scope, key.key, IdempotencyKey.firstKept(at: now)])
        guard let row else { return nil }
        let (body, bytes): ([UInt8], [UInt8]) = (try row["body"], try row["messages"])
        guard key.isSame(as: body) else { return .keyReused }
        let answer = try StoredJSON.decode(Answer.self, from: String(decoding: bytes, as: UTF8.self))
        return .repeated(DeliveryID(rawValue: answer.delivery), warnings: answer.warnings)
    }

    func note(_ key: IdempotencyKey, _ delivery: DeliveryID, warnings: [String]) throws {
        let answer = try StoredJSON.encode(Answer(delivery: delivery.rawValue, warnings: warnings))
        try db.run(
            sql: HotSQL.noteIdempotency,
            arguments: [
                key.scope, key.key, key.body, Array(answer.utf8), Self.nobody, now.secondsSince1970,
            ])
    }
}
