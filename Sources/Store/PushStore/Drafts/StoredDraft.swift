package import PushModel

/// A delivery document that people are still writing. It may be incomplete.
package struct StoredDraft: Equatable, Sendable {
    package var id: Int64
    package var service: ServiceID
    /// The caller that created the draft.
    package var owner: String
    /// The caller that saved the newest version.
    package var changedBy: String
    package var label: String
    /// The document in JSON.
    package var document: [UInt8]
    /// The number of the newest version. The first version is 1.
    package var version: Int64
    package var created: WallMoment
    package var updated: WallMoment

    fileprivate static let columns = """
        d.id, d.service_id, d.owner, d.changed_by, d.label, d.document, d.version, d.created_ms, d.updated_ms
        """

    fileprivate init(row: Row) throws {
        id = try row["id"]
        service = ServiceID(rawValue: try row["service_id"])
        (owner, changedBy, label) = (try row["owner"], try row["changed_by"], try row["label"])
        (document, version) = (try row["document"], try row["version"])
        created = WallMoment(millisecondsSince1970: try row["created_ms"])
        updated = WallMoment(millisecondsSince1970: try row["updated_ms"])
    }

    static func find(_ id: Int64, _ db: any Session) throws -> StoredDraft? {
        try db.row(
            sql: """
                SELECT \(columns) FROM draft d JOIN service s ON s.id = d.service_id
                WHERE d.id = ?1 AND s.removed_at IS NULL
                """, arguments: [id]
        ).map { try StoredDraft(row: $0) }
    }
}

/// The version of a draft on which a caller bases a change.
package struct DraftVersion: Equatable, Sendable {
    package var id: Int64
    package var version: Int64

    package init(id: Int64, version: Int64) { (self.id, self.version) = (id, version) }
}

/// Reads drafts. The drafts of deleted services, and those of services to which the caller is not bound, do
/// not exist for the caller.
package struct DraftReader: Sendable {
    /// The maximum number of drafts on a page. A page contains whole documents.
    package static let maxPage = 100

    let connection: Connection
    var bounds = ServiceBounds.unbound

    package func find(_ id: Int64) throws(StoreError) -> StoredDraft? {
        let draft = try connection.read("read a draft") { db in try StoredDraft.find(id, db) }
        return draft.flatMap { bounds.admit($0.service) ? $0 : nil }
    }

    /// Returns drafts, those that were created last first.
    /// - Parameters:
    ///   - service: `nil` for the drafts of all services.
    ///   - before: The id of the last draft on the previous page; `nil` for the first page.
    package func page(
        of service: ServiceID?, before: Int64?, limit: Int
    ) throws(StoreError) -> [StoredDraft] {
        let conditions = [
            service == nil ? nil : "d.service_id = ?3", bounds.condition("d.service_id"),
        ].compactMap(\.self)
        let condition = conditions.map { "AND \($0)" }.joined(separator: " ")
        let arguments: [any SQLConvertible] =
            [before ?? .max, min(limit, Self.maxPage)] + (service.map { [$0.rawValue] } ?? [])
        return try connection.read("list drafts") { db in
            try db.rows(
                sql: """
                    SELECT \(StoredDraft.columns) FROM draft d JOIN service s ON s.id = d.service_id
                    WHERE d.id < ?1 AND s.removed_at IS NULL \(condition)
                    ORDER BY d.id DESC LIMIT ?2
                    """, arguments: arguments
            ).map { try StoredDraft(row: $0) }
        }
    }
}
