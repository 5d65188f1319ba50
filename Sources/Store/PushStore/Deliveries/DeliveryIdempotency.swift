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
    private let answers: KeyedAnswers<Answer>

    init(db: any Session, now: WallTime) { answers = KeyedAnswers(db: db, now: now) }

    /// The answer to the earlier request, stored as JSON.
    private struct Answer: Codable {
        var delivery: Int64
        var warnings: [String]
    }

    /// Returns the result of the earlier request with the key; `nil` if there was no such request, or if it
    /// was made too long ago.
    func submission(of key: IdempotencyKey) throws -> KeyedSubmission? {
        switch try answers.find(key) {
        case nil: nil
        case .keyReused: .keyReused
        case .answer(let answer):
            .repeated(DeliveryID(rawValue: answer.delivery), warnings: answer.warnings)
        }
    }

    func note(_ key: IdempotencyKey, _ delivery: DeliveryID, warnings: [String]) throws {
        try answers.note(key, Answer(delivery: delivery.rawValue, warnings: warnings))
    }
}

/// The answers to requests that may be repeated, stored as JSON by their keys. Operates within the caller's
/// transaction.
struct KeyedAnswers<Answer: Codable> {
    /// The value of the column `subscription_id` for these keys. For a message's key, this column contains
    /// the recipient. No subscriber has this number.
    private static var noRecipient: Int64 { 0 }

    let db: any Session
    let now: WallTime

    enum Found {
        case answer(Answer)
        /// The key was used for a different request.
        case keyReused
    }

    /// Returns the answer to the earlier request with the key; `nil` if there was no such request, or if it
    /// was made too long ago.
    func find(_ key: IdempotencyKey) throws -> Found? {
        let row = try db.row(
            sql: HotSQL.idempotency, arguments: [key.scope, key.key, IdempotencyKey.firstKept(at: now)])
        guard let row else { return nil }
        let (body, bytes): ([UInt8], [UInt8]) = (try row["body"], try row["messages"])
        guard key.isSame(as: body) else { return .keyReused }
        return .answer(try StoredJSON.decode(Answer.self, from: String(decoding: bytes, as: UTF8.self)))
    }

    func note(_ key: IdempotencyKey, _ answer: Answer) throws {
        let text = try StoredJSON.encode(answer)
        try db.run(
            sql: HotSQL.noteIdempotency,
            arguments: [
                key.scope, key.key, key.body, Array(text.utf8), Self.noRecipient, now.secondsSince1970,
            ])
    }
}
