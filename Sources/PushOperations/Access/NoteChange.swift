internal import PushModel
internal import PushStore

/// A line in the audit trail: what somebody did over the API.
package struct NoteChange: ChangingOperation {
    package static let name = "audit.note"
    package var lookAfterwards: String { "audit" }

    /// A token's name.
    package var who: String
    /// `PATCH /apps/{name}`
    package var action: String
    /// By name; no secret, no device token.
    package var what: String

    package init(who: String, action: String, what: String) {
        self.who = who
        self.action = action
        self.what = what
    }

    package func perform(in operations: Operations) throws -> Nothing {
        try operations.store.auditWriter.note(
            who: who, action: action, what: what, at: operations.clock.moment())
        return Nothing()
    }

    package struct Nothing: Codable, Sendable {}
}
