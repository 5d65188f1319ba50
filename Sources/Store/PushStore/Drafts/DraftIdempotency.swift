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
    private let db: any Session
    private let answers: KeyedAnswers<Answer>

    init(db: any Session, now: WallTime) { (self.db, answers) = (db, KeyedAnswers(db: db, now: now)) }

    /// The answer to the earlier request, stored as JSON.
    private struct Answer: Codable {
        var draft: Int64
    }

    /// Returns the result of the earlier request with the key; `nil` if there was no such request, or if it
    /// was made too long ago.
    func creation(by key: IdempotencyKey) throws -> KeyedDraft? {
        switch try answers.find(key) {
        case nil: nil
        case .keyReused: .keyReused
        case .answer(let answer):
            try StoredDraft.find(answer.draft, db).map(KeyedDraft.repeated) ?? .gone(answer.draft)
        }
    }

    func note(_ key: IdempotencyKey, _ draft: Int64) throws {
        try answers.note(key, Answer(draft: draft))
    }
}
