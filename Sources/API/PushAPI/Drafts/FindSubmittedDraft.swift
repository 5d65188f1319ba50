package import PushModel
internal import PushStore

/// Finds the delivery as which a draft was submitted, in the newest lines of the audit trail: a submission
/// removes the draft.
package struct FindSubmittedDraft: ShortOperation {
    package static let name = "draft.submission"
    /// The number of lines that are read.
    private static let maxLines = 2_000

    private let id: Int64

    package init(_ id: Int64) { self.id = id }

    /// - Returns: `nil` if the draft was not submitted, or long ago.
    package func perform(in operations: Operations) throws -> DeliveryID? {
        let beginning = SubmitDraft.auditPrefix(id)
        let line = try operations.store.audit.page(limit: Self.maxLines).first {
            $0.action == SubmitDraft.name && $0.what.hasPrefix(beginning)
        }
        return line.flatMap { Int64($0.what.dropFirst(beginning.count)) }.map(DeliveryID.init(rawValue:))
    }
}
