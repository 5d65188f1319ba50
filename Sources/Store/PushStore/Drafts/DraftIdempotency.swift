internal import PushModel

/// The result of creating a draft with a key.
package enum KeyedDraft: Equatable, Sendable {
    /// This request created the draft.
    case created(StoredDraft)
    /// An earlier request with the same key created the draft; this is its newest version.
    case repeated(StoredDraft)
    /// An earlier request with the same key created this draft, which was removed or submitted since.
    case gone(Int64)
    /// The key was used for a different request; nothing was changed.
    case keyReused
}

extension KeyedDraft: AuditNamed {
    var auditName: String? {
        if case .created(let draft) = self { draft.auditName } else { nil }
    }
}

/// Finds drafts by the keys with which they were created, as ``DeliveryIdempotency`` does for deliveries.
/// Operates within the caller's transaction.
struct DraftIdempotency {
    let db: any Session
    let now: WallTime

    /// The answer to the earlier request, stored as JSON.
    private struct Answer: Codable {
        var draft: Int64
    }

    /// Returns the result of the earlier request with the key; `nil` if there was no such request, or if it
    /// was made too long ago.
    func creation(by key: IdempotencyKey) throws -> KeyedDraft? {
        let row = try db.row(
            sql: HotSQL.idempotency, arguments: [key.scope, key.key, IdempotencyKey.firstKept(at: now)])
        guard let row else { return nil }
        let (body, bytes): ([UInt8], [UInt8]) = (try row["body"], try row["messages"])
        guard key.isSame(as: body) else { return .keyReused }
        let id = try StoredJSON.decode(Answer.self, from: String(decoding: bytes, as: UTF8.self)).draft
        return try StoredDraft.find(id, db).map(KeyedDraft.repeated) ?? .gone(id)
    }

    func note(_ key: IdempotencyKey, _ draft: Int64) throws {
        let answer = try StoredJSON.encode(Answer(draft: draft))
        try db.run(
            sql: HotSQL.noteIdempotency,
            arguments: [
                key.scope, key.key, key.body, Array(answer.utf8), DeliveryIdempotency.nobody,
                now.secondsSince1970,
            ])
    }
}
