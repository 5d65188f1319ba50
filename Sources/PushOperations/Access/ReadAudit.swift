package import PushModel
internal import PushStore

/// A page of who changed what, the newest first.
package struct ReadAudit: ShortOperation {
    package static let name = "audit.read"
    package static let mostLines = 1_000

    /// ``AuditPage/next`` of the page before; nil begins.
    package var before: Int64?
    /// At most ``mostLines``.
    package var limit: Int

    package init(before: Int64? = nil, limit: Int = 100) {
        self.before = before
        self.limit = limit
    }

    package func perform(in operations: Operations) throws -> AuditPage {
        let limit = min(max(limit, 1), Self.mostLines)
        let lines = try operations.store.audit.page(before: before, limit: limit)
        return AuditPage(
            lines: lines.map { AuditPage.Line(at: $0.at, who: $0.who, action: $0.action, what: $0.what) },
            next: lines.count == limit ? lines.last?.number : nil)
    }
}

package struct AuditPage: Codable, Equatable, Sendable {
    package struct Line: View, Equatable {
        package var at: WallMoment
        /// A token's name, or whose command it was.
        package var who: String
        /// An operation's name.
        package var action: String
        package var what: String
    }
    package var lines: [Line]
    /// Where the next page goes on; nil: this was the last.
    package var next: Int64?
}
