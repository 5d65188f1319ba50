package import PushModel
package import PushStore

/// Returns a page of the audit trail, newest lines first.
package struct ReadAudit: ShortOperation, UseCase {
    package static let name = "audit.read"
    package static let operation = Operation(
        .get, "/audit", .admin,
        "Lists the changes made through the API or by commands, and who made them, newest first.",
        reach: .instance)
    package static let limits = 1...1_000
    package static let members: [Member<Self>] = [
        .query(\.limit, "limit", "The maximum number of entries.", in: limits, default: 100),
        .cursor(\.before),
    ]

    package var before: Int64?
    package var limit = 100

    package init() {}

    package func perform(in operations: Operations) throws -> Page<AuditLine> {
        let lines = try operations.store.audit.page(before: before, limit: limit)
        return Page(lines, next: lines.count == limit ? lines.last?.number : nil, of: self)
    }
}

extension AuditLine: View {
    package static let about = [
        "who": "the token's name, or the user who ran the command", "action": "the name of the use case",
    ]
}

extension AuditLine {
    /// The line's values, for targets that do not depend on `PushStore`.
    package var values: (number: Int64, at: WallMoment, who: String, action: String, what: String) {
        (number, at, who, action, what)
    }
}
